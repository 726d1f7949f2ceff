import { Injectable } from '@nestjs/common';
import { Outbox } from '@tandem/messaging';
import { ReconciliationRepository } from '../enrollment/reconciliation.repository';
import { ReconciliationService } from '../enrollment/reconciliation.service';
import { ReconciliationWorker } from '../enrollment/reconciliation.worker';
import type { PersonalData, Profile } from '../profile/profile';
import type { TimeBudget } from '../vendor/time-budget';
import { VendorUsers } from '../vendor/vendor-users';

/** What of the vendor's work a request waits for at most; the rest follows. */
const AT_ONCE_MS = 3_000;

/** How requests change the vendor: what they did not finish is finished by the reconciliation. */
@Injectable()
export class VendorSync {
  constructor(
    private readonly outbox: Outbox,
    private readonly vendor: VendorUsers,
    private readonly queue: ReconciliationRepository,
    private readonly reconciliations: ReconciliationService,
    private readonly worker: ReconciliationWorker,
  ) {}

  /**
   * Tells the vendor of a user who has no profile yet. Before that it is noted that the vendor may know the user; of one who was
   * noted already nothing old is left there.
   */
  async introduce({ krn, arrayUserId }: Profile, data: PersonalData, budget: TimeBudget): Promise<void> {
    const isNoted = (await this.queue.find(krn)) !== null;
    await this.outbox.transaction((manager) => this.queue.request(manager, krn));
    await this.reconciliations.write(krn, async () => {
      if (isNoted) await this.vendor.delete(arrayUserId, budget);
      await this.vendor.put(arrayUserId, data, budget);
    });
  }

  /** Tells the vendor of changed data. Before that it is noted that the vendor may have other data than we have. */
  async replace({ krn, arrayUserId }: Profile, data: PersonalData, budget: TimeBudget): Promise<void> {
    await this.outbox.transaction((manager) => this.queue.request(manager, krn, { personalData: true }));
    await this.reconciliations.write(krn, () => this.vendor.put(arrayUserId, data, budget));
  }

  /** Brings the vendor in line with what was committed, as far as a request can wait for it. */
  async tryNow(krn: string, budget: TimeBudget): Promise<void> {
    await this.reconciliations.tryNow(krn, budget.atMost(AT_ONCE_MS));
    this.worker.wake();
  }

  /** Has the rest done at once, after the commit. */
  wake(): void {
    this.worker.wake();
  }
}
