import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { ENROLLMENT_SYNC, type EnrollmentSync } from '@tandem/contracts';
import { type SubscriptionReceipt, supportEnrollPath, supportUserPath } from '@tandem/internal-api';
import { Outbox } from '@tandem/messaging';
import { type Answer, eventually, sendRequest, uniqueId } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { ProfileRepository } from '../src/profile/profile.repository';
import { Idp, SERVICE_KEYS, type TestUser } from './idp';

/** Returns a receipt of a new subscription that grants `idp.identity`. */
export const receipt = (more: Partial<SubscriptionReceipt> = {}): SubscriptionReceipt => ({
  subscriptionId: uniqueId('sub'),
  entitlements: ['idp.identity'],
  issuedAt: new Date().toISOString(),
  ...more,
});

/** Returns the event with which billing reports the end of a subscription. */
export const ended = (subscriptionId: string): EnrollmentSync => ({
  cause: 'subscription',
  subscription: { subscriptionId, type: 'expired', occurredAt: new Date().toISOString() },
});

/** Returns the sorted codes of the active enrollments in an answer. */
export const activeOf = ({ body }: Answer): string[] =>
  body.enrollments.flatMap(({ code, active }: { code: string; active: boolean }) => (active ? [code] : [])).sort();

/** Makes the calls of idp-support to an idp-api, and reads what is then stored. */
export class SupportCalls {
  private constructor(readonly idp: Idp) {}

  static async start(): Promise<SupportCalls> {
    return new SupportCalls(await Idp.start({ env: { VENDOR_TIMEOUT_MS: '3000' } }));
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const token = await issueServiceToken({
      privateKey: parseServicePrivateKey(SERVICE_KEYS.privateKeyOf('idp-support')),
      from: 'idp-support',
      audience: 'idp-api',
      now: new Date(),
    });
    return sendRequest(method, this.idp.running.url + path, { token, body, headers });
  }

  async read({ krn }: TestUser) {
    return (await this.call('GET', supportUserPath(krn))).body;
  }

  change({ krn }: TestUser, body?: unknown) {
    return this.call('PATCH', supportUserPath(krn), body);
  }

  enroll({ krn }: TestUser, receipts: readonly SubscriptionReceipt[] = []) {
    return this.call('POST', supportEnrollPath(krn), { receipts });
  }

  personalData({ krn }: TestUser) {
    return this.idp.running.nest.get(ProfileRepository).findPersonalData(krn);
  }

  async stateOf({ krn }: TestUser) {
    const { database } = this.idp;
    return {
      verification: await database.query('select * from idp.verification where krn = $1', [krn]),
      enrollments: await database.query('select * from idp.enrollment where krn = $1 order by code', [krn]),
      receipts: await database.query('select * from idp.subscription_receipt where krn = $1', [krn]),
      data: await this.personalData({ krn }),
    };
  }

  codes({ krn }: TestUser) {
    return this.idp.vendor.activeCodes(arrayUserIdOf(krn));
  }

  /** Resolves when nothing is left to reconcile. */
  inLine({ krn }: TestUser) {
    return eventually(async () =>
      expect(await this.idp.database.query('select 1 from idp.reconciliation where krn = $1', [krn])).toEqual([]),
    );
  }

  async publish(data: EnrollmentSync): Promise<void> {
    const outbox = this.idp.running.nest.get(Outbox);
    await outbox.transaction((manager) => outbox.add(manager, ENROLLMENT_SYNC, data));
  }

  /** Creates a user with a profile who is enrolled at the vendor. */
  async enrolledUser(): Promise<TestUser> {
    const user = await this.idp.createUser();
    await this.inLine(user);
    return user;
  }

  /** Creates a user with a profile and three counted refusals. */
  async lockedUser(): Promise<TestUser> {
    const user = await this.enrolledUser();
    await this.idp.database.query(
      `update idp.verification set attempts = 3, authenticated = false, last_attempt_at = now() where krn = $1`,
      [user.krn],
    );
    return user;
  }

  /** Creates a user whose subscription ended after the profile was created. */
  async formerUser(): Promise<TestUser> {
    const user = await this.enrolledUser();
    await this.publish(ended(user.subscriptionId as string));
    await eventually(() => expect(this.codes(user)).toEqual([]));
    await this.inLine(user);
    return user;
  }
}
