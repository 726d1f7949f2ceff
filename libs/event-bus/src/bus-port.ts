import type { IncomingMessage, OutgoingMessage } from './message';

/** The publishing side of a bus. */
export interface BusPublisher {
  /**
   * Resolves when the bus has stored all messages, in the given order per key. When it rejects, some of the messages
   * may be stored; the caller must send all of them again, in order.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Handles the ready messages of one partition: at least one message, in order. When the promise resolves, the messages
 * are acknowledged. Acknowledged messages may still be delivered again, for example if the member is killed or loses the
 * partition before its position is stored. When the promise rejects, all messages are delivered again. In both cases, the
 * inbox skips messages that were already handled. The signal is aborted when the consumer stops, or when another member
 * may take the partition: the function must then end its waits.
 */
export type BatchSink = (messages: readonly IncomingMessage[], signal: AbortSignal) => Promise<void>;

/** The consuming side of a bus: one member of a consumer group. Partitions are handled in parallel, each one in order. */
export interface BusConsumer {
  /**
   * Starts to consume, and returns immediately. Retries while the bus is unavailable.
   *
   * @param unhurried topics whose events may be delivered up to a second late. On the Postgres bus, these events do not
   *   wake the process: it reads them after its next heartbeat. The Kafka bus ignores this argument
   */
  start(topics: readonly string[], sink: BatchSink, unhurried?: ReadonlySet<string>): void;
  /** Takes no more messages, aborts the signals of the current batches, and resolves when these batches have ended. */
  stop(): Promise<void>;
  close(): Promise<void>;
  /**
   * Returns how many events of each topic the group has not handled, across all partitions and members. Events count as
   * handled when their offset is stored, usually within a second after they were handled.
   */
  lag(topics: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * The time at which the bus last answered or, on Kafka, the consumer last ended a batch: ms since 1970. Before
   * `start`: undefined. From `start` until the first answer: the time of `start`.
   */
  readonly lastActivity: number | undefined;
}

/**
 * Describes the events that one call of `bus.publish` appended to one partition. The function returns one such row for
 * each consumer group of the topic, or a single row if the topic has no group.
 */
export interface AppendedRow {
  readonly topic: string;
  readonly partition: number;
  /** The end of the partition's log: the offset of its next event. */
  readonly next_offset: string;
  readonly events: number;
  /** The port at which to wake the group's member that holds the partition; null when no member is to be woken. */
  readonly wake_port: number | null;
}

/**
 * Publishes outbox rows in the statement that removes them from the app's database, which also contains the bus. The
 * commit need not wait for the disk, because a crash undoes both the removal and the publication.
 */
export interface RowPublisher {
  /**
   * Name of the SQL function to call. It takes arrays of topics, key hashes, keys, headers and values, and then `host`;
   * it returns {@link AppendedRow}s.
   */
  readonly function: string;
  /** The name of this machine. The rows contain only the wake ports of members on this machine. */
  readonly host: string;
  /** Sends a datagram to each wake port of the rows. Call it after the commit. */
  wake(rows: readonly AppendedRow[]): void;
}

export interface EventBus {
  readonly publisher: BusPublisher;
  /** Moves outbox rows to the bus in one statement; absent when the bus is not in the app's database. */
  readonly rowPublisher?: RowPublisher;
  readonly consumer: BusConsumer;
  /**
   * Removes events past the retention that every consumer group of their topic has read, in small transactions. Absent
   * on Kafka, whose brokers remove events themselves.
   *
   * @param isStopped called before each transaction; when it returns true, the promise resolves
   */
  prune?(isStopped: () => boolean): Promise<void>;
}

export const EVENT_BUS = Symbol('EVENT_BUS');
