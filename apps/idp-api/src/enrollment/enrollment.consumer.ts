import { Controller, Logger } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ENROLLMENT_SYNC, type EnrollmentSync } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent } from '@tandem/messaging';
import { EnrollmentSyncService } from './enrollment-sync.service';
import { ReconciliationWorker } from './reconciliation.worker';

@Controller()
export class EnrollmentConsumer {
  private readonly logger = new Logger('enrollment');

  constructor(
    private readonly syncs: EnrollmentSyncService,
    private readonly worker: ReconciliationWorker,
  ) {}

  @EventHandler(ENROLLMENT_SYNC)
  async handle(@Payload() events: ReceivedEvent<EnrollmentSync>[], @Ctx() batch: EventBatch): Promise<void> {
    await this.syncs.record(batch.manager, events);
    batch.afterCommit(() => {
      this.worker.wake();
      events.forEach((event) => this.log(event));
    });
  }

  /** Logs a line with the id of an event. The line names the user or the subscription only if the event does. */
  private log({ id, data: { krn, cause, subscription } }: ReceivedEvent<EnrollmentSync>): void {
    const { subscriptionId: oid, type } = subscription ?? {};
    this.logger.log({ msg: 'enrollment.synced', eventId: id, krn, oid, cause, type });
  }
}
