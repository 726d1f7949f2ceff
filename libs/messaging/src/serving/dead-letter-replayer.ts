import { Inject, Injectable, Logger } from '@nestjs/common';
import { OutageLog, sleep } from '@tandem/batching';
import { DataSource } from 'typeorm';
import { describeError } from '../failure/dispatch.errors';
import { Dispatcher } from '../dispatch/dispatcher';
import type { EventHandlers } from '../dispatch/event-transactions';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';
import { findReplayRequests } from '../dead-letter/dead-letter.repository';

/** Maximum number and total size of the replays that are read at a time: small enough not to delay live events. */
const BATCH_LIMIT = { rows: 100, bytes: 4 * 1024 * 1024 };

/**
 * Executes requested replays, oldest dead letters first. The replays of a topic run together; if that fails, each runs
 * separately. Row locks divide the work among the replicas. The loop pauses only when no request is left, or after an
 * error.
 */
@Injectable()
export class DeadLetterReplayer {
  private readonly logger = new Logger(DeadLetterReplayer.name);
  private readonly outage = new OutageLog(this.logger, {
    failed: 'requested replays cannot be read',
    recovered: 'requested replays are read again',
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
        const requests = await findReplayRequests(this.dataSource.manager, this.options.group, BATCH_LIMIT);
        const topics = new Set(requests.map(({ message }) => message.topic));
        for (const topic of topics) {
          const ofTopic = requests.filter(({ message }) => message.topic === topic);
          if (signal.aborted) return;
          await this.dispatcher.replay(ofTopic, handlers, signal);
        }
        this.outage.succeeded();
        if (requests.length > 0) continue;
      } catch (error) {
        if (!signal.aborted) this.outage.failed({ reason: describeError(error) });
      }
      await sleep(this.options.tuning.replayPollMs, signal);
    }
  }
}
