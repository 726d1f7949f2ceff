import { Controller, Logger } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { IDENTITY_EVENT, type IdentityEvent } from '@tandem/contracts';
import { EventBatch, EventHandler, type ReceivedEvent, runInEvent } from '@tandem/messaging';
import { ReconciliationWorker } from '../enrollment/reconciliation.worker';
import { type HandledIdentityEvent, IdentityEventService } from './identity-event.service';

@Controller()
export class IdentityEventConsumer {
  private readonly logger = new Logger('identity');

  constructor(
    private readonly identityEvents: IdentityEventService,
    private readonly worker: ReconciliationWorker,
  ) {}

  @EventHandler(IDENTITY_EVENT)
  async handle(@Payload() events: ReceivedEvent<IdentityEvent>[], @Ctx() batch: EventBatch): Promise<void> {
    const handled = await this.identityEvents.record(batch.manager, events);
    batch.afterCommit(() => {
      this.worker.wake();
      for (const one of handled) runInEvent(one.event, () => this.log(one));
    });
  }

  /** Logs the outcome of an event, with the KRN if the user is known. The line links the vendor's webhook to the user. */
  private log({ event, krn, outcome }: HandledIdentityEvent): void {
    const { id: eventId, data } = event;
    const { arrayUserId, type, alert, productCode } = data;
    const about = {
      eventId,
      krn,
      arrayUserId,
      type,
      alertId: alert?.alertId,
      bureau: alert?.bureau,
      code: productCode,
    };
    const isExpected = !['unknown_user', 'unknown_bureau', 'unknown_code'].includes(outcome);
    this.logger[isExpected ? 'log' : 'warn']({ msg: 'identity_event.handled', ...about, outcome });
  }
}
