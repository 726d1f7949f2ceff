import type { IncomingMessage, OutgoingMessage } from './message';

/** The publishing side of a bus. */
export interface BusPublisher {
  /**
   * Resolves when the bus has stored all messages, in the given order per key. When it rejects, any of them may have
   * been stored: the caller sends all of them again, in order.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Handles a partition's ready messages: at least one, of one topic and partition, in order. When it resolves, all are done and
 * are not delivered again. When it rejects, all are delivered again (the inbox skips those already handled).
 * The signal is aborted when the consumer stops or loses the partition: waits must then end.
 */
export type BatchSink = (messages: readonly IncomingMessage[], signal: AbortSignal) => Promise<void>;

/** The consuming side of a bus: one member of a consumer group. Partitions are handled in parallel, each one in order. */
export interface BusConsumer {
  /**
   * Returns immediately; retries while the bus is unavailable.
   *
   * @param unhurried topics whose events may wait up to a second, so that they do not wake the process one by one
   */
  start(topics: readonly string[], sink: BatchSink, unhurried?: ReadonlySet<string>): void;
  /** Takes no more messages, and resolves when the current ones are handled. */
  stop(): Promise<void>;
  close(): Promise<void>;
  /** Returns how many events of each topic the group has not handled, across all partitions and members. */
  lag(topics: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** When the consumer last heard from its bus, ms since 1970; undefined before `start`. */
  readonly lastActivity: number | undefined;
}

/** Describes the rows appended to one partition. There is one such object for each consumer group of the topic. */
export interface AppendedRow {
  readonly topic: string;
  readonly partition: number;
  /** The end of the partition's log. */
  readonly next_offset: string;
  readonly events: number;
  /** The port at which to wake the member that holds the partition. */
  readonly wake_port: number | null;
}

/**
 * Publishes rows of the app's own database in the statement that removes them. The commit need not wait for the disk,
 * because a crash undoes both the removal and the publication.
 */
export interface RowPublisher {
  /** The SQL function, which takes arrays of topics, key hashes, keys, headers and values, and a text, `host`; it returns AppendedRows. */
  readonly function: string;
  readonly host: string;
  /** Wakes the consumers, after the commit. */
  wake(rows: readonly AppendedRow[]): void;
}

export interface EventBus {
  readonly publisher: BusPublisher;
  /** Publishes rows of the app's own database; absent when the bus is in another database. */
  readonly rowPublisher?: RowPublisher;
  readonly consumer: BusConsumer;
  /**
   * Removes events past the retention, in small transactions; absent when the bus does so itself.
   *
   * @param isStopped called before each transaction
   */
  prune?(isStopped: () => boolean): Promise<void>;
}

export const EVENT_BUS = Symbol('EVENT_BUS');
