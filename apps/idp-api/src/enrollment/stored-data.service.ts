import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import type { TimeBudget } from '../array/time-budget';
import type { Profile } from '../profile/profile';
import { UserBusyError } from '../user-lock/user-lock.errors';
import { Reconciler } from './reconciler';
import { ReconciliationRepository, SupersededError } from './reconciliation.repository';

/** Makes sure that the vendor has the stored personal data of a user. */
@Injectable()
export class StoredDataService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly queue: ReconciliationRepository,
    private readonly reconciler: Reconciler,
  ) {}

  /**
   * Sends the stored personal data to the vendor if the vendor may have other data, for example the data of a change that was not saved. The
   * caller holds the user's lock.
   *
   * @throws VendorError, UserBusyError when the user was claimed again or deleted
   */
  async restore(profile: Profile, budget: TimeBudget): Promise<void> {
    if (!(await this.queue.find(profile.krn))?.personalData) return;
    const claim = await this.queue.claim(profile.krn);
    if (!claim) return;
    try {
      await this.reconciler.putStored(profile, claim, budget);
    } catch (error) {
      throw error instanceof SupersededError ? new UserBusyError() : error;
    } finally {
      // The claim has postponed the user's next run. This call makes the user due now.
      await this.queue.postpone(claim, 0, null);
    }
  }

  /**
   * Requests that the stored personal data is sent to the vendor, because the vendor does not know the user any more. The worker or the next
   * call of `restore` sends the data, whichever comes first. The worker then enrolls the user again, except in codes that the vendor reports
   * as ended: the request that called this method fails, so it does not count as a request for these codes.
   */
  async requestRestore({ krn }: Profile): Promise<void> {
    await this.manager.transaction((manager) => this.reconciler.request(manager, krn, { personalData: true }));
    this.reconciler.wake();
  }
}
