import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ENROLLMENT_SYNC, type EnrollmentSync } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent } from '@tandem/messaging';
import { EnrollmentSyncService } from './enrollment-sync.service';
import { ReconciliationWorker } from './reconciliation.worker';

@Controller()
export class EnrollmentConsumer {
  constructor(
    private readonly syncs: EnrollmentSyncService,
    private readonly worker: ReconciliationWorker,
  ) {}

  @EventHandler(ENROLLMENT_SYNC)
  async handle(@Payload() events: ReceivedEvent<EnrollmentSync>[], @Ctx() batch: EventBatch): Promise<void> {
    await this.syncs.record(
      batch.manager,
      events.map(({ data }) => data),
    );
    batch.afterCommit(() => this.worker.wake());
  }
}
