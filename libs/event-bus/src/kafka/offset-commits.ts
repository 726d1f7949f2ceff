import { Logger } from '@nestjs/common';
import { OutageLog } from '@tandem/batching';
import type { Consumer, TopicPartitionOffset } from 'kafkajs';

/** How often offsets are committed: so often that only a few events are delivered again after the process was killed. */
const COMMIT_EVERY_MS = 500;

/**
 * Commits offsets twice a second. kafkajs's own commit would instead wait for the broker after every batch, before the
 * next batch is requested. If a commit is lost, or overwritten by an older offset in a rebalance, events are only
 * redelivered, and the inbox skips them.
 */
export class OffsetCommits {
  private readonly logger = new Logger(OffsetCommits.name);
  /** The uncommitted offsets by topic and partition. Each is the offset of the next event to handle. */
  private readonly handled = new Map<string, TopicPartitionOffset>();
  private generation = 0;
  private committing: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private readonly outage = new OutageLog(this.logger, {
    failed: 'offsets cannot be committed',
    recovered: 'offsets are committed again',
  });

  constructor(private readonly consumer: Consumer) {
    // A rebalance may move a partition to another member. So this member commits its offsets when a rebalance begins, and
    // discards the uncommitted offsets when it has joined the group again.
    consumer.on(consumer.events.REBALANCING, () => void this.commit());
    consumer.on(consumer.events.GROUP_JOIN, () => {
      this.generation++;
      this.handled.clear();
    });
  }

  start(): void {
    this.timer = setInterval(() => void this.commit(), COMMIT_EVERY_MS);
  }

  /**
   * Begins to record the offsets of a batch. Must be called before the batch is handled.
   *
   * @returns a function that takes the offset of the last handled message, for the next commit. After a rebalance, the
   *   function does nothing
   */
  begin(topic: string, partition: number): (lastOffset: string) => void {
    const { generation } = this;
    return (lastOffset) => {
      if (generation !== this.generation) return;
      this.handled.set(`${topic}/${partition}`, { topic, partition, offset: String(BigInt(lastOffset) + 1n) });
    };
  }

  /** Commits for the last time. The promise never rejects; without a broker, it may never resolve. */
  async finish(): Promise<void> {
    clearInterval(this.timer);
    await this.committing;
    await this.commit();
  }

  private commit(): Promise<void> {
    if (this.handled.size === 0) return Promise.resolve();
    this.committing ??= this.commitOnce().finally(() => (this.committing = null));
    return this.committing;
  }

  private async commitOnce(): Promise<void> {
    const { generation } = this;
    const offsets = [...this.handled];
    this.handled.clear();
    try {
      await this.consumer.commitOffsets(offsets.map(([, offset]) => offset));
      this.outage.succeeded();
    } catch (error) {
      this.outage.failed({ reason: (error as Error).message });
      if (generation !== this.generation) return;
      for (const [place, offset] of offsets) if (!this.handled.has(place)) this.handled.set(place, offset);
    }
  }
}
