import { Inject, Injectable, Logger } from '@nestjs/common';
import { OutageLog, sleep } from '@tandem/event-bus';
import { DataSource } from 'typeorm';
import { describeError } from '../dispatch/dispatch.errors';
import { Dispatcher } from '../dispatch/dispatcher';
import type { EventHandlers } from '../dispatch/event-transactions';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events.options';
import { findReplayRequests } from './dead-letter.repository';

/** Read at a time, each with up to 1 MiB of message. */
const AT_ONCE = 10;

/** Carries out requested replays, one after the other. Replicas share the work by row locks. */
@Injectable()
export class DeadLetterReplayer {
  private readonly logger = new Logger(DeadLetterReplayer.name);
  private readonly outage = new OutageLog(this.logger, {
    away: 'replays cannot be looked for',
    back: 'replays are looked for again',
  });
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly dispatcher: Dispatcher,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {}

  start(handlers: EventHandlers): void {
    this.running = this.run(handlers);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(handlers: EventHandlers): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const requests = await findReplayRequests(this.dataSource.manager, this.options.group, AT_ONCE);
        for (const request of requests) {
          if (signal.aborted) return;
          await this.dispatcher.replay(request, handlers, signal);
        }
        this.outage.succeeded();
      } catch (error) {
        if (!signal.aborted) this.outage.failed({ reason: describeError(error) });
      }
      await sleep(this.options.tuning.replayPollMs, signal);
    }
  }
}
