import { Logger } from '@nestjs/common';
import { sleep } from '@tandem/batching';
import { type Consumer, type EachBatchPayload, Kafka, type KafkaMessage } from 'kafkajs';
import type { BusOptions } from '../bus-options';
import type { IncomingMessage } from '../message';
import { readParts } from '../raw-parts';
import type { BusConsumer, BatchSink } from '../bus-port';
import { headersOf } from './kafka-headers';
import { lagOf } from './kafka-lag';
import { consumerClient, consumerConfig } from './kafkajs-settings';
import type { Gate } from './kafkajs-sockets';
import { OffsetCommits } from './offset-commits';

/**
 * Maximum number of partitions that are handled in parallel. A member holds fewer partitions, so the maximum is never
 * reached; the dispatcher limits the concurrent work.
 */
const PARTITIONS_AT_ONCE = 100;
/** Maximum messages per batch; a fetch can return thousands of small messages of one partition. */
const BATCH_MAX = 200;
/**
 * How often the consumer calls kafkajs's `heartbeat` while a handler runs. kafkajs sends a heartbeat only if
 * `heartbeatInterval` (0.4 s) has passed since the last heartbeat. So the broker gets a heartbeat about every 0.5 s.
 * Its answer reports a rebalance, if there is one. kafkajs measures `heartbeatInterval` by the clock of the host: if
 * the clock steps back, kafkajs sends no heartbeat until the clock has caught up. A very short `heartbeatInterval`
 * would avoid this, but kafkajs would then send a heartbeat with each fetch and with each batch.
 */
const HEARTBEAT_CHECK_MS = 500;
const SUBSCRIBE_RETRY_MS = 250;
/** If the brokers still do not know a topic after this time, the consumer ends, and `onFatal` receives the error. */
const TOPICS_KNOWN_MS = 30_000;
/** How long the last commit before a stop may take, ms: while the broker is down, kafkajs retries commits without limit. */
const LAST_COMMIT_MS = 1_000;
/**
 * Time limit of each step of `stop` and `close`, except the last commit and the last wait for handlers. A client that
 * hangs longer is abandoned; the brokers remove it from the group when its session times out.
 */
const GOODBYE_MS = 5_000;

/** A member of a Kafka consumer group. Partitions are handled in parallel, each in order. */
export class KafkaConsumer implements BusConsumer {
  lastActivity: number | undefined;

  private readonly logger = new Logger(KafkaConsumer.name);
  private readonly gate: Gate = { closed: false };
  private readonly stopping = new AbortController();
  /** One controller per batch that is being handled. */
  private readonly deliveries = new Set<AbortController>();
  private readonly handling = new Set<Promise<void>>();
  private commits?: OffsetCommits;
  private consumer?: Consumer;
  private joined = false;
  private starting: Promise<void> = Promise.resolve();

  constructor(private readonly options: BusOptions) {}

  start(topics: readonly string[], sink: BatchSink): void {
    const { app, kafkaBrokers: brokers, kafkaLogin: login, group, kafkaSessionTimeoutMs } = this.options;
    const kafka = new Kafka(consumerClient({ clientId: app, brokers, login, gate: this.gate }));
    const consumer = kafka.consumer(consumerConfig(group, kafkaSessionTimeoutMs));
    this.consumer = consumer;
    this.commits = new OffsetCommits(consumer);
    this.observe(consumer);
    this.lastActivity = Date.now();
    this.starting = this.connect(consumer, topics, sink);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const delivery of this.deliveries) delivery.abort();
    const consumer = this.consumer;
    if (!consumer) return;
    // Before the first join there is no group to leave, and kafkajs would wait for brokers without limit.
    if (!this.joined) this.gate.closed = true;
    await within(GOODBYE_MS, this.starting);
    await within(GOODBYE_MS, Promise.allSettled(this.handling));
    await within(LAST_COMMIT_MS, this.commits?.finish() ?? Promise.resolve());
    await within(
      GOODBYE_MS,
      consumer.stop().catch(() => undefined),
    );
    await Promise.allSettled(this.handling); // kafkajs may have stopped waiting, but the handlers must have finished
  }

  lag(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return lagOf(this.options, topics, this.gate);
  }

  async close(): Promise<void> {
    this.gate.closed = true;
    if (this.consumer)
      await within(
        GOODBYE_MS,
        this.consumer.disconnect().catch(() => undefined),
      );
    this.consumer = undefined;
  }

  /**
   * Connects and joins the group. kafkajs retries without limit by itself. So an error here means that the app is
   * stopping, or that there is a mistake, such as a topic that does not exist.
   */
  private async connect(consumer: Consumer, topics: readonly string[], sink: BatchSink): Promise<void> {
    try {
      await consumer.connect();
      await this.subscribe(consumer, topics);
      if (this.stopping.signal.aborted) return;
      this.commits?.start();
      await consumer.run({
        autoCommit: false, // OffsetCommits commits
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
        eachBatch: (payload) => this.deliver(payload, sink),
      });
      this.joined = true;
    } catch (error) {
      if (!this.stopping.signal.aborted) this.fail(error as Error);
    }
  }

  /**
   * Subscribes, with retries: not all brokers know a new topic immediately, and kafkajs asks only one broker, once.
   */
  private async subscribe(consumer: Consumer, topics: readonly string[]): Promise<void> {
    const { signal } = this.stopping;
    for (const deadline = Date.now() + TOPICS_KNOWN_MS; ;) {
      try {
        // By default, kafkajs starts a new group at the end of each topic, so the group would miss everything published
        // before its first start.
        return await consumer.subscribe({ topics: [...topics], fromBeginning: true });
      } catch (error) {
        const { retriable } = error as { retriable?: boolean };
        if (retriable !== true || signal.aborted || Date.now() > deadline) throw error;
        await sleep(SUBSCRIBE_RETRY_MS, signal);
      }
    }
  }

  private observe(consumer: Consumer): void {
    const alive = (): void => {
      this.lastActivity = Date.now();
    };
    consumer.on(consumer.events.FETCH, alive);
    consumer.on(consumer.events.END_BATCH_PROCESS, alive);
    consumer.on(consumer.events.HEARTBEAT, alive);
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (!payload.restart && !this.stopping.signal.aborted) this.fail(payload.error);
    });
  }

  private fail(error: Error): void {
    this.logger.error(`Kafka consumer ended permanently: ${error.name}: ${error.message}`);
    this.options.onFatal(error);
  }

  private async deliver(payload: EachBatchPayload, sink: BatchSink): Promise<void> {
    // `stop` stops kafkajs only after the last commit. Batches that kafkajs delivers until then are ignored.
    if (this.stopping.signal.aborted) return;
    const delivery = new AbortController();
    this.deliveries.add(delivery);
    // While a handler runs, kafkajs may send no heartbeat by itself, and it rejoins the group only after the handler has
    // ended. So the handler is aborted when a heartbeat reports a rebalance, or that this member is no longer in the
    // group.
    const beat = (): Promise<void> =>
      payload.heartbeat().catch((error: unknown) => {
        if (isMembershipLost(error)) delivery.abort();
      });
    const timer = setInterval(() => void beat(), HEARTBEAT_CHECK_MS);
    const handling = this.handOver(payload, sink, delivery.signal);
    this.handling.add(handling);
    try {
      await handling;
    } catch (error) {
      // After an abort, unhandled messages are delivered again to the partition's next owner.
      if (delivery.signal.aborted) return;
      // The error is replaced, because kafkajs does not redeliver the batch after some errors, such as a TypeError or
      // an error with `retriable: false`: it ends the consumer for good.
      throw new Error(error instanceof Error ? error.message : String(error));
    } finally {
      clearInterval(timer);
      this.deliveries.delete(delivery);
      this.handling.delete(handling);
    }
  }

  private async handOver(
    { batch, resolveOffset, isRunning, isStale }: EachBatchPayload,
    sink: BatchSink,
    signal: AbortSignal,
  ): Promise<void> {
    const { topic, partition, messages } = batch;
    const done = this.commits?.begin(topic, partition);
    for (let from = 0; from < messages.length; from += BATCH_MAX) {
      if (signal.aborted || !isRunning() || isStale()) return;
      const some = messages.slice(from, from + BATCH_MAX);
      await sink(
        some.map((message) => incoming(topic, partition, message)),
        signal,
      );
      const { offset } = some.at(-1) as KafkaMessage;
      resolveOffset(offset);
      done?.(offset);
    }
  }
}

/** The error types by which a broker reports a rebalance, or that this member is no longer in the group. */
const MEMBERSHIP_LOST = new Set([
  'REBALANCE_IN_PROGRESS',
  'UNKNOWN_MEMBER_ID',
  'ILLEGAL_GENERATION',
  'FENCED_INSTANCE_ID',
]);

const isMembershipLost = (error: unknown): boolean => MEMBERSHIP_LOST.has((error as { type?: string }).type ?? '');

const incoming = (
  topic: string,
  partition: number,
  { offset, key, headers, value }: KafkaMessage,
): IncomingMessage => ({
  topic,
  partition,
  offset,
  value,
  ...readParts(key, headersOf(headers)),
});

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
