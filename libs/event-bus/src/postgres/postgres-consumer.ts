import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { closeClient } from '@tandem/database';
import type { Client, Pool } from 'pg';
import type { BusOptions } from '../bus.options';
import { Backoff } from '../timing/backoff';
import { OutageLog } from '../timing/outage-log';
import { WakeSignal } from '../timing/wake-signal';
import type { BatchSink, BusConsumer } from '../bus.port';
import { PartitionLog } from './partition-log';
import { type Lease, PartitionReader, type ReaderContext } from './partition-reader';
import { openConnection } from './postgres-connection';

interface HeartbeatRow extends Lease {
  readonly surplus: boolean;
}

const HEARTBEAT_MS = 1_000;
const SESSION_TIMEOUT_MS = 5_000;
const GROUP_CHANNEL = 'bus_group';
/** Followed by the topic; a channel's name has at most 63 characters. */
const TOPIC_CHANNEL = 'bus.';

/** A member of a consumer group on the Postgres bus: it keeps its leases alive, and reads each partition it holds. */
export class PostgresConsumer implements BusConsumer {
  lastActivity: number | undefined;

  private readonly logger = new Logger(PostgresConsumer.name);
  private readonly member = randomUUID();
  private readonly wakes = new WakeSignal();
  private readonly readers = new Map<string, PartitionReader>();
  private readonly stopping = new Map<string, Promise<void>>();
  private readonly backoff = new Backoff(100, 2_000);
  private readonly outage = new OutageLog(this.logger, { away: 'the bus is away', back: 'the bus is back' });
  private topics: readonly string[] = [];
  private context?: ReaderContext;
  private listener?: Client;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: BusOptions,
    private readonly pool: Pool,
  ) {}

  start(topics: readonly string[], sink: BatchSink): void {
    const { pool } = this;
    const { group } = this.options;
    this.topics = topics;
    const outage = new OutageLog(this.logger, { away: 'partitions cannot be read', back: 'partitions are read again' });
    this.context = { pool, log: new PartitionLog(pool, group), group, member: this.member, sink, outage };
    this.lastActivity = Date.now();
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
    if (this.listener) await closeClient(this.listener);
    this.listener = undefined;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      let pause = HEARTBEAT_MS;
      try {
        this.listener ??= await this.listen();
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

  private async listen(): Promise<Client> {
    const client = await openConnection(this.options.busUrl, `${this.options.group}-bus`, () => {
      if (this.listener === client) this.listener = undefined;
      this.wakes.wake();
    });
    client.on('notification', ({ channel, payload }) => {
      if (channel !== GROUP_CHANNEL) this.hint(channel.slice(TOPIC_CHANNEL.length), payload ?? '');
      else if (payload === this.options.group) this.wakes.wake();
    });
    const channels = [GROUP_CHANNEL, ...this.topics.map((topic) => `${TOPIC_CHANNEL}${topic}`)];
    await client.query(channels.map((channel) => `LISTEN ${client.escapeIdentifier(channel)}`).join('; '));
    return client;
  }

  /** `<partition>/<end of the log>`: any role of the server can send anything else. */
  private hint(topic: string, payload: string): void {
    const [, partition, end] = /^(\d+)\/(\d{1,19})$/.exec(payload) ?? [];
    if (end !== undefined) this.readers.get(`${topic}/${partition}`)?.hintEnd(end);
  }

  /** Reports how far each partition is read, and learns which ones this member holds and where their logs end. */
  private async heartbeat(): Promise<void> {
    const { group, sessionTimeoutMs = SESSION_TIMEOUT_MS } = this.options;
    const read = [...this.readers.values()].map(({ lease, position }) => ({ ...lease, position }));
    const { rows } = await this.pool.query<HeartbeatRow>({
      name: 'bus-heartbeat',
      text: 'SELECT * FROM bus.heartbeat($1, $2, $3, $4, $5, $6, $7, $8)',
      values: [
        group,
        this.member,
        this.topics,
        sessionTimeoutMs,
        read.map(({ topic }) => topic),
        read.map(({ partition }) => partition),
        read.map(({ epoch }) => epoch),
        read.map(({ position }) => position),
      ],
    });
    if (this.stopped) return;
    const held = new Set(rows.map(nameOf));
    for (const [name, reader] of this.readers) if (!held.has(name)) this.drop(name, reader, false);
    for (const row of rows) this.follow(row);
  }

  /** Starts, updates or stops one reader by its row of the heartbeat. */
  private follow(row: HeartbeatRow): void {
    const name = nameOf(row);
    const reader = this.readers.get(name);
    const stale = reader !== undefined && reader.lease.epoch !== row.epoch; // lost and won again while we were silent
    if (reader && (stale || row.surplus)) this.drop(name, reader, !stale);
    else if (reader) reader.confirmEnd(row.next_offset);
    else if (this.context && !this.stopping.has(name)) {
      const fresh = new PartitionReader(row, this.context);
      if (row.surplus)
        this.drop(name, fresh, true); // an earlier release did not get through
      else this.readers.set(name, fresh);
    }
  }

  /** Stops a reader without waiting: its handler may still run, and the heartbeat must go on meanwhile. */
  private drop(name: string, reader: PartitionReader, release: boolean): void {
    this.readers.delete(name);
    const ended = reader.stop(release).finally(() => {
      this.stopping.delete(name);
      this.wakes.wake();
    });
    this.stopping.set(name, ended);
  }

  private async leave(): Promise<void> {
    try {
      await this.pool.query('SELECT bus.leave_group($1, $2)', [this.options.group, this.member]);
    } catch (error) {
      // The session runs out by itself.
      this.logger.warn({ msg: 'could not leave the group', error: (error as Error).message });
    }
  }
}

const nameOf = ({ topic, partition }: Lease): string => `${topic}/${partition}`;
