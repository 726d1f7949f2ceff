import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Backoff, OutageLog, WakeSignal } from '@tandem/batching';
import type { Pool } from 'pg';
import type { BusOptions, Gap } from '../bus-options';
import type { BatchSink, BusConsumer } from '../bus-port';
import { PartitionLog } from './partition-log';
import { type Lease, PartitionReader, type ReaderContext } from './partition-reader';
import type { WakeSocket } from './wake-socket';

interface HeartbeatRow extends Lease {
  readonly surplus: boolean;
}

const HEARTBEAT_MS = 1_000;
/**
 * A member loses its partitions after this time without a heartbeat: three intervals. An outage of Postgres prevents
 * heartbeats, so the partitions are distributed again after a longer outage.
 */
const SESSION_TIMEOUT_MS = 3_000;
/**
 * The text of a datagram after which a member sends its next heartbeat immediately, because the partitions of the group
 * may be divided differently.
 */
const GROUP_MESSAGE = 'group';

/** A member of a consumer group on the Postgres bus: it renews its leases, and reads each partition that it holds. */
export class PostgresConsumer implements BusConsumer {
  lastActivity: number | undefined;

  private readonly logger = new Logger(PostgresConsumer.name);
  private readonly member = randomUUID();
  private readonly wakes = new WakeSignal();
  private readonly readers = new Map<string, PartitionReader>();
  private readonly stopping = new Map<string, Promise<void>>();
  private readonly backoff = new Backoff(100, HEARTBEAT_MS);
  private readonly outage = new OutageLog(this.logger, {
    failed: 'the bus is unavailable',
    recovered: 'the bus is available again',
  });
  private topics: readonly string[] = [];
  /** The topics whose new events wake this member: all except the unhurried ones. */
  private urgentTopics: readonly string[] = [];
  private context?: ReaderContext;
  private joined = false;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: BusOptions,
    private readonly pool: Pool,
    private readonly socket: WakeSocket,
  ) {}

  start(topics: readonly string[], sink: BatchSink, unhurried: ReadonlySet<string> = new Set()): void {
    const { pool } = this;
    const { group } = this.options;
    this.topics = topics;
    this.urgentTopics = topics.filter((topic) => !unhurried.has(topic));
    const outage = new OutageLog(this.logger, {
      failed: 'partitions cannot be read',
      recovered: 'partitions are read again',
    });
    const onGap = (gap: Gap): void => {
      this.logger.error({ msg: 'events were removed before this group had read them', group, ...gap });
      this.options.onGap?.(gap);
    };
    this.context = { pool, log: new PartitionLog(pool, group), group, member: this.member, sink, onGap, outage };
    this.lastActivity = Date.now();
    this.socket.onMessage = (text) => this.hint(text);
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakes.wake();
    await this.running;
    await Promise.all([...this.readers.values()].map((reader) => reader.stop(true)));
    await Promise.all(this.stopping.values());
    this.readers.clear();
    if (this.context) await this.leave();
  }

  async lag(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.pool.query<{ topic: string; events: string }>('SELECT * FROM bus.lag($1, $2)', [
      this.options.group,
      topics,
    ]);
    return new Map(rows.map(({ topic, events }) => [topic, Number(events)]));
  }

  async close(): Promise<void> {
    await this.socket.close();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      let pause = HEARTBEAT_MS;
      try {
        await this.heartbeat();
        this.lastActivity = Date.now();
        this.backoff.reset();
        this.outage.succeeded();
      } catch (error) {
        pause = this.backoff.next();
        if (!this.stopped) this.outage.failed({ reason: (error as Error).message });
      }
      await this.wakes.wait(pause);
    }
  }

  /**
   * Reads a datagram: either `GROUP_MESSAGE`, or lines of `<topic>/<partition>/<end of the log>`. Other lines are
   * ignored, because any local program can send datagrams.
   */
  private hint(text: string): void {
    if (text === GROUP_MESSAGE) return this.wakes.wake();
    for (const line of text.split('\n')) {
      const [, name = '', end] = /^(.+\/\d+)\/(\d{1,18})$/.exec(line) ?? [];
      if (end !== undefined) this.readers.get(name)?.hintEnd(end);
    }
  }

  /**
   * Reports the position of each partition, and receives the partitions that this member holds, with the ends of their
   * logs.
   */
  private async heartbeat(): Promise<void> {
    const { group } = this.options;
    const read = [...this.readers.values()].map(({ lease, position }) => ({ ...lease, position }));
    const { rows } = await this.pool.query<HeartbeatRow>({
      name: 'bus-beat',
      text: 'SELECT * FROM bus.beat($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
      values: [
        group,
        this.member,
        this.topics,
        SESSION_TIMEOUT_MS,
        this.socket.host,
        await this.socket.port(),
        this.urgentTopics,
        read.map(({ topic }) => topic),
        read.map(({ partition }) => partition),
        read.map(({ epoch }) => epoch),
        read.map(({ position }) => position),
      ],
    });
    if (this.stopped) return;
    if (!this.joined) await this.wakeGroup();
    this.joined = true;
    const held = new Set(rows.map(nameOf));
    for (const [name, reader] of this.readers) if (!held.has(name)) this.drop(name, reader, false);
    for (const row of rows) this.follow(row);
  }

  /** Starts, updates or stops the reader of one partition, as its row in the answer to the heartbeat requires. */
  private follow(row: HeartbeatRow): void {
    const name = nameOf(row);
    const reader = this.readers.get(name);
    const stale = reader !== undefined && reader.lease.epoch !== row.epoch; // lost and regained between two heartbeats
    if (reader && (stale || row.surplus)) this.drop(name, reader, !stale);
    else if (reader) reader.confirmEnd(row.next_offset);
    else if (this.context && !this.stopping.has(name)) {
      const fresh = new PartitionReader(row, this.context);
      if (row.surplus)
        this.drop(name, fresh, true); // this member tried to release the partition before, and failed
      else this.readers.set(name, fresh);
    }
  }

  /** Stops a reader without waiting for its handler, so that the heartbeats continue while the handler ends. */
  private drop(name: string, reader: PartitionReader, release: boolean): void {
    this.readers.delete(name);
    const ended = reader
      .stop(release)
      .then(() => (release ? this.wakeGroup() : undefined))
      .finally(() => {
        this.stopping.delete(name);
        this.wakes.wake();
      });
    this.stopping.set(name, ended);
  }

  /**
   * Makes the other members on this machine send a heartbeat immediately, because partitions are free or a new member
   * needs partitions. A member that the datagram does not reach sends its next heartbeat within a second.
   */
  private async wakeGroup(): Promise<void> {
    try {
      const { rows } = await this.pool.query<{ wake_port: number }>('SELECT * FROM bus.wake_ports($1, $2, $3)', [
        this.options.group,
        this.member,
        this.socket.host,
      ]);
      for (const { wake_port: port } of rows) this.socket.send(port, GROUP_MESSAGE);
    } catch (error) {
      this.logger.debug({ msg: 'the members of the group cannot be woken', error: (error as Error).message });
    }
  }

  private async leave(): Promise<void> {
    try {
      await this.pool.query('SELECT bus.leave_group($1, $2)', [this.options.group, this.member]);
      await this.wakeGroup();
    } catch (error) {
      // A member that could not leave is removed when its session times out.
      this.logger.warn({ msg: 'the member cannot leave its group', error: (error as Error).message });
    }
  }
}

const nameOf = ({ topic, partition }: Lease): string => `${topic}/${partition}`;
