import { Injectable } from '@nestjs/common';
import { ENROLLMENT_SYNC } from '@tandem/contracts';
import {
  CHANGEABLE_FIELDS,
  type ChangedSupportUser,
  type DeletedSupportUser,
  type EnrollWithReceipts,
  type InternalCall,
  type SupportEnrollments,
  SupportUserNotFoundError,
  supportEnrollPath,
  supportStoryPath,
  supportUnlockPath,
  type SupportUser,
  supportUserPath,
  type UnlockedSupportUser,
  type UserStory,
} from '@tandem/internal-api';
import { Outbox } from '@tandem/messaging';
import { randomUUID } from 'node:crypto';
import { AuditService } from '../audit/audit.service';
import { ErasureService } from '../audit/erasure.service';
import { ReceiptService } from '../receipt/receipt.service';
import type { Act } from '../support-authentication/act';
import { IdentityClient } from './identity.client';
import type { SyncAccepted } from './user.dto';

/**
 * Carries out the actions of support on a user, through idp-api, which owns users. Each action has an entry in the audit trail. All methods
 * throw ServiceUnavailableError when idp-api does not answer in time, or gives an answer that the internal API does not allow. All methods
 * except `explain` throw SupportUserNotFoundError:
 *
 * - `change`, `enroll` and `sync` when there is no profile
 * - `delete` when there is neither a profile nor a refused verification
 * - `get` and `unlock` when nothing is known about the user
 */
@Injectable()
export class UserService {
  constructor(
    private readonly identity: IdentityClient,
    private readonly audit: AuditService,
    private readonly erasures: ErasureService,
    private readonly receipts: ReceiptService,
    private readonly outbox: Outbox,
  ) {}

  get(act: Act, krn: string): Promise<SupportUser> {
    return this.audit.run(act, { action: 'user.read', krn }, () => this.read(act, krn));
  }

  /** Returns why a user is locked, is not enrolled, or sees no alerts, even if nothing is known about the user. */
  explain(act: Act, krn: string): Promise<UserStory> {
    return this.audit.run(act, { action: 'user.read', krn, details: { story: true } }, () =>
      this.identity.storyClient.json(200, { method: 'GET', path: supportStoryPath(krn), requestId: act.requestId }),
    );
  }

  /**
   * Changes the personal data of a user.
   *
   * @param body the body as received; only idp-api validates it
   * @throws ValidationFailedError, IdentityNotConfirmedError, VendorUnavailableError, VendorTooSlowError, UserIsBusyError
   */
  change(act: Act, krn: string, body: object | undefined): Promise<ChangedSupportUser> {
    const details = { fields: changedFields(body) };
    return this.audit.run(act, { action: 'user.update', krn, details }, () =>
      this.call(act, { method: 'PATCH', path: supportUserPath(krn), body }),
    );
  }

  /** Erases a user. If idp-api erased the user but its answer was lost, the request succeeds when the caller sends it again. */
  delete(act: Act, krn: string): Promise<DeletedSupportUser> {
    return this.audit.run(act, { action: 'user.delete', krn }, async (entry) => {
      try {
        // If the answer to the DELETE is lost, only this read shows that there was something to erase.
        if (!canBeErased(await this.read(act, krn))) throw new SupportUserNotFoundError();
        await this.erasures.noteData(entry);
        return await this.call<DeletedSupportUser>(act, { method: 'DELETE', path: supportUserPath(krn) });
      } catch (error) {
        if (!(error instanceof SupportUserNotFoundError)) throw error;
        if (!(await this.erasures.proveLost(krn, entry))) throw error;
        return { deleted: true };
      }
    });
  }

  /**
   * Enrolls a user in what the user's subscriptions and the given receipts grant.
   *
   * @param srts subscription receipt tokens
   * @throws InvalidReceiptError, JwksUnavailableError, EntitlementsMissingError, UserHasToWaitError, UserLockedOutError,
   *   VendorUnavailableError, VendorTooSlowError, UserIsBusyError
   */
  enroll(act: Act, krn: string, srts: readonly string[]): Promise<SupportEnrollments> {
    const details = { receipts: srts.length };
    return this.audit.run(act, { action: 'user.enroll', krn, details }, async (entry) => {
      const receipts = await this.receipts.verify(srts, krn);
      entry.note({ subscriptions: receipts.map(({ subscriptionId }) => subscriptionId) });
      const body: EnrollWithReceipts = { receipts };
      return this.call(act, { method: 'POST', path: supportEnrollPath(krn), body });
    });
  }

  /** Ends the user's lock and gives the user all attempts again. @throws UserIsBusyError */
  async unlock(act: Act, krn: string): Promise<void> {
    await this.audit.run(act, { action: 'user.unlock', krn }, () =>
      this.call<UnlockedSupportUser>(act, { method: 'POST', path: supportUnlockPath(krn) }),
    );
  }

  /** Requests that the user's enrollments are reconciled. One transaction stores the event and the outcome of the audit entry. */
  sync(act: Act, krn: string): Promise<SyncAccepted> {
    const eventId = randomUUID();
    return this.audit.run(act, { action: 'user.sync', krn, details: { eventId } }, async (entry) => {
      const { array_user_details: profile } = await this.read(act, krn);
      if (!profile) throw new SupportUserNotFoundError();
      await this.outbox.transaction(async (manager) => {
        await this.outbox.add(manager, ENROLLMENT_SYNC, { krn, cause: 'support' }, { id: eventId });
        await entry.succeed(manager);
      });
      return { accepted: true, eventId };
    });
  }

  private read(act: Act, krn: string): Promise<SupportUser> {
    return this.call(act, { method: 'GET', path: supportUserPath(krn) });
  }

  private call<T>({ requestId }: Act, call: Omit<InternalCall, 'requestId'>): Promise<T> {
    return this.identity.json(200, { ...call, requestId });
  }
}

/** Returns whether idp-api has data that a delete erases: a profile, or refused verifications. */
const canBeErased = ({ array_user_details: profile, user_status_response: status }: SupportUser): boolean =>
  profile !== null || status.authAttempts > 0;

/** Returns the names of the changeable fields that a body contains, never their values. Fields that are null are omitted. */
function changedFields(body: object | undefined): string[] {
  const given = Object.entries(body ?? {}).flatMap(([name, value]) => (value === null ? [] : [name]));
  return CHANGEABLE_FIELDS.filter((field) => given.includes(field));
}
