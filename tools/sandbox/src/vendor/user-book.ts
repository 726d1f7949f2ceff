import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { SandboxError } from '../errors';
import type { Contact, VendorAlert, VendorEnrollment, VendorUser } from './vendor-user';

/** A line of the file: the state of a user after a change. The last line of a `clientKey` applies. */
type Entry = VendorUser | { clientKey: string; deleted: true };

const FIRST_ALERT_ID = 1_000_001;

/**
 * Stores the vendor's users in a file with one JSON document per line, so that they survive a restart. Contacts are
 * kept only in memory, so a restart loses them.
 */
export class UserBook {
  readonly #file: string;
  readonly #users = new Map<string, VendorUser>();
  readonly #contacts = new Map<string, Contact>();
  #nextAlertId = FIRST_ALERT_ID;

  /** Reads the file, and rewrites it without outdated entries. */
  constructor(file: string) {
    this.#file = file;
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    for (const line of lines) {
      const entry = parse(line);
      if (!entry) continue;
      if ('deleted' in entry) this.#users.delete(entry.clientKey);
      else this.#users.set(entry.clientKey, entry);
    }
    for (const { alerts } of this.#users.values()) {
      for (const { alertId } of alerts) this.#nextAlertId = Math.max(this.#nextAlertId, alertId + 1);
    }
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, [...this.#users.values()].map((user) => `${JSON.stringify(user)}\n`).join(''), {
      mode: 0o600,
    });
    renameSync(draft, file);
  }

  /** Lists the users, oldest first. */
  list(): VendorUser[] {
    return [...this.#users.values()];
  }

  find(clientKey: string): VendorUser | undefined {
    return this.#users.get(clientKey);
  }

  /** Returns a user. @throws SandboxError 404 for an unknown user */
  get(clientKey: string): VendorUser {
    const user = this.#users.get(clientKey);
    if (!user) throw new SandboxError(404, 'unknown user');
    return user;
  }

  /** Returns the contact of a user; an empty one when none has been received since the start of the sandbox. */
  contactOf(clientKey: string): Contact {
    return this.#contacts.get(clientKey) ?? {};
  }

  /** Creates a user, or replaces the fields of an existing user and keeps its enrollments and alerts. */
  put(clientKey: string, fields: string[], contact: Contact): void {
    const created = { clientKey, createdAt: new Date().toISOString(), enrollments: [], alerts: [] };
    this.#save({ ...(this.#users.get(clientKey) ?? created), fields });
    this.#contacts.set(clientKey, contact);
  }

  /** Adds fields to a user. @throws SandboxError 404 for an unknown user */
  patch(clientKey: string, fields: string[], contact: Contact): void {
    const user = this.get(clientKey);
    this.#save({ ...user, fields: [...new Set([...user.fields, ...fields])] });
    this.#contacts.set(clientKey, { ...this.contactOf(clientKey), ...contact });
  }

  /** Removes a user with everything that belongs to it. An unknown user is ignored. */
  delete(clientKey: string): void {
    this.#contacts.delete(clientKey);
    if (!this.#users.delete(clientKey)) return;
    this.#append({ clientKey, deleted: true });
  }

  /** Enrolls a user in a product; an active enrollment stays as it is. @throws SandboxError 404 for an unknown user */
  enroll(clientKey: string, productCode: string): VendorEnrollment {
    const user = this.get(clientKey);
    const known = user.enrollments.find((enrollment) => enrollment.productCode === productCode);
    if (known?.status === 'active') return known;
    const enrollment: VendorEnrollment = {
      enrollmentId: known?.enrollmentId ?? `enr_${randomUUID()}`,
      productCode,
      status: 'active',
    };
    this.#save({ ...user, enrollments: [...user.enrollments.filter((one) => one !== known), enrollment] });
    return enrollment;
  }

  /** Cancels an enrollment. An unknown or cancelled enrollment is ignored. */
  cancel(clientKey: string, productCode: string): void {
    const user = this.#users.get(clientKey);
    if (!user?.enrollments.some((one) => one.productCode === productCode && one.status === 'active')) return;
    const enrollments = user.enrollments.map((one) =>
      one.productCode === productCode ? { ...one, status: 'cancelled' as const } : one,
    );
    this.#save({ ...user, enrollments });
  }

  /** Adds alerts to a user's alerts, which are stored newest first. @throws SandboxError 404 for an unknown user */
  addAlerts(clientKey: string, alerts: Omit<VendorAlert, 'alertId'>[]): VendorAlert[] {
    const user = this.get(clientKey);
    const added = alerts.map((alert) => ({ alertId: this.#nextAlertId++, ...alert }));
    this.#save({ ...user, alerts: [...user.alerts, ...added].sort(newestFirst) });
    return added;
  }

  /** Gives a user sample data, whose times are relative to `since`. @throws SandboxError 404 for an unknown user */
  startSample(clientKey: string, since: string): void {
    this.#save({ ...this.get(clientKey), sampleSince: since });
  }

  #save(user: VendorUser): void {
    this.#append(user);
    this.#users.set(user.clientKey, user);
  }

  #append(entry: Entry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  }
}

const newestFirst = (one: VendorAlert, other: VendorAlert): number =>
  Date.parse(other.createDate) - Date.parse(one.createDate) || other.alertId - one.alertId;

/** Reads a line of the file; null for an empty line, and for a line that was cut off when the process was killed. */
function parse(line: string): Entry | null {
  try {
    const value = JSON.parse(line) as Entry;
    return typeof value.clientKey === 'string' ? value : null;
  } catch {
    return null;
  }
}
