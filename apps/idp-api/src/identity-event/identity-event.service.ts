import { Injectable } from '@nestjs/common';
import { ALERT_CREATED, type IdentityEvent } from '@tandem/contracts';
import { Outbox, type ReceivedEvent } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { alertEventIdOf } from '../alert/alert-event-id';
import { AlertRepository, type PushedAlertOfUser } from '../alert/alert.repository';
import { isBureau } from '../array/alerts';
import { ENROLLMENT_CODES, type EnrollmentCode } from '../array/enrollment-codes';
import { ReconciliationRepository } from '../enrollment/reconciliation.repository';
import type { Profile } from '../profile/profile';
import { type DatedProfile, ProfileRepository } from '../profile/profile.repository';
import { VerificationRepository } from '../profile/verification.repository';
import { requireAlert, requireProductCode, vendorUserKeyOf } from './identity-event.rules';

type Received = ReceivedEvent<IdentityEvent>;

/** An event with its user and its outcome. */
export interface HandledIdentityEvent {
  readonly event: Received;
  /** The user's KRN; null when no user has the key in the event, or when the event belongs to an earlier profile of the user. */
  readonly krn: string | null;
  readonly outcome: string;
}

/** An event of a known user. */
interface UserEvent {
  readonly event: Received;
  readonly profile: Profile;
}

/**
 * Stores what the vendor reports about users. Locks the rows of the users' profiles, so that no user is deleted during the transaction. Does
 * not take the locks of `UserLocks`, so no event waits while a request or the worker calls the vendor.
 */
@Injectable()
export class IdentityEventService {
  constructor(
    private readonly profiles: ProfileRepository,
    private readonly alerts: AlertRepository,
    private readonly verifications: VerificationRepository,
    private readonly reconciliations: ReconciliationRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Stores what the events report, in the transaction of `manager`.
   * @throws PermanentEventError when an event of a known user lacks a field that its type needs, or its alert's id is too large
   */
  async record(manager: EntityManager, events: readonly Received[]): Promise<HandledIdentityEvent[]> {
    const keys = events.flatMap(({ data }) => vendorUserKeyOf(data) ?? []);
    const found = keys.length > 0 ? await this.profiles.lockByArrayUserIds(manager, [...new Set(keys)]) : [];
    const profiles = new Map(found.map((profile) => [profile.arrayUserId, profile]));
    const known: UserEvent[] = [];
    const unknown: HandledIdentityEvent[] = [];
    for (const event of events) {
      const profile = profiles.get(vendorUserKeyOf(event.data) ?? '');
      if (profile && !isOfEarlierProfile(event.data, profile)) known.push({ event, profile });
      else unknown.push({ event, krn: null, outcome: 'unknown_user' });
    }
    const ofType = (...types: IdentityEvent['type'][]): UserEvent[] =>
      known.filter(({ event }) => types.includes(event.data.type));
    // The alerts are saved last, because the other statements may wait for locked rows. During such a wait, the user could mark all alerts
    // as read. Alerts that were already saved would then count as read, although the user could not see them yet.
    return [
      ...unknown,
      ...(await this.hintEnrollments(manager, ofType('enrollment_started', 'enrollment_cancelled'))),
      ...(await this.saveVerifications(manager, ofType('identity_verified', 'identity_refused'))),
      ...(await this.saveAlerts(manager, ofType('alert_pushed'))),
    ];
  }

  private async saveAlerts(manager: EntityManager, events: readonly UserEvent[]): Promise<HandledIdentityEvent[]> {
    if (events.length === 0) return [];
    const pushed = events.map(({ event, profile }): PushedAlertOfUser => {
      const { alertId, bureau, class: kind } = requireAlert(event.data);
      return { krn: profile.krn, alertId, bureau, class: kind, at: new Date(event.data.receivedAt) };
    });
    const created = await this.alerts.savePushed(manager, pushed);
    await this.outbox.addMany(
      manager,
      ALERT_CREATED,
      created.map(({ at, ...alert }) => ({
        id: alertEventIdOf(alert),
        data: { ...alert, createdAt: at.toISOString() },
      })),
    );
    const outcomes = pushed.map(({ bureau }) => (isBureau(bureau) ? 'stored' : 'unknown_bureau'));
    return handledOf(events, outcomes);
  }

  /**
   * Passes on the vendor's reports of enrollments as hints: no report changes an enrollment before the reconciler has read the vendor's
   * state.
   */
  private async hintEnrollments(manager: EntityManager, events: readonly UserEvent[]): Promise<HandledIdentityEvent[]> {
    const endedOf = new Map<string, EnrollmentCode[]>();
    const outcomes = events.map(({ event: { data }, profile: { krn } }) => {
      const code = codeOf(requireProductCode(data));
      if (!code) return 'unknown_code';
      const ended = endedOf.get(krn) ?? [];
      endedOf.set(krn, data.type === 'enrollment_cancelled' ? [...ended, code] : ended);
      return 'requested';
    });
    const hints = [...endedOf].map(([krn, ended]) => ({ krn, ended }));
    if (hints.length > 0) await this.reconciliations.hint(manager, hints);
    return handledOf(events, outcomes);
  }

  private async saveVerifications(
    manager: EntityManager,
    events: readonly UserEvent[],
  ): Promise<HandledIdentityEvent[]> {
    if (events.length === 0) return [];
    const reported = events.map(({ event: { data }, profile: { krn } }) => ({
      krn,
      authenticated: data.type === 'identity_verified',
      at: new Date(data.receivedAt),
    }));
    await this.verifications.saveReported(manager, reported);
    return handledOf(
      events,
      events.map(() => 'stored'),
    );
  }
}

/** How far the clock of webhook-ingest, which sets `receivedAt`, may be behind that of the database, which sets `createdAt`. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * Returns whether the event is an alert of an earlier profile that the user has deleted: an alert that was received before the current
 * profile was created, by more than the tolerance.
 */
const isOfEarlierProfile = ({ type, receivedAt }: IdentityEvent, { createdAt }: DatedProfile): boolean =>
  type === 'alert_pushed' && Date.parse(receivedAt) < createdAt.getTime() - CLOCK_TOLERANCE_MS;

const codeOf = (productCode: string): EnrollmentCode | undefined =>
  ENROLLMENT_CODES.find((code) => code === productCode);

const handledOf = (events: readonly UserEvent[], outcomes: readonly string[]): HandledIdentityEvent[] =>
  events.map(({ event, profile }, index) => ({ event, krn: profile.krn, outcome: outcomes[index] as string }));
