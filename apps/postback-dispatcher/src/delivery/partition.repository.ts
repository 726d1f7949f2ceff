import { Injectable } from '@nestjs/common';
import { closeClient, deleteOldRows, openClient, readClock } from '@tandem/database';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { PostbackDispatcherConfig } from '../config';

/** A time partition: it contains rows with `from` ≤ time < `to`. */
export interface Partition {
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** A partition that exists, as Postgres's catalog describes it. */
export interface AttachedPartition extends Partition {
  /** Whether `detach … concurrently` is in progress or was interrupted. The partition then accepts no more rows. */
  readonly detaching: boolean;
}

/** Tables partitioned by time. */
export const PARTITIONED_TABLES = ['delivery', 'attempt'] as const;
export type PartitionedTable = (typeof PARTITIONED_TABLES)[number];

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Creates and drops time partitions, and deletes old sales. The statements for partitions use a separate connection, because they may wait
 * long for locks, and because the connection takes the role of the tables' owner.
 */
@Injectable()
export class PartitionRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  /**
   * Runs `work` unless another replica runs the same job. Creating and dropping partitions are separate jobs, because dropping waits for
   * readers, and creating must not wait for dropping.
   * @param lockTimeoutMs how long a statement may wait for a lock
   * @returns true after `work` has run; false if another replica is running the job
   */
  async exclusively(
    job: 'create' | 'drop',
    work: (session: PartitionSession) => Promise<void>,
    lockTimeoutMs: number,
  ): Promise<boolean> {
    const client: Client = await openClient({
      connectionString: this.config.DATABASE_URL,
      application_name: 'postback-dispatcher-partitions',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    try {
      await client.query(`select set_config('lock_timeout', $1, false)`, [String(Math.trunc(lockTimeoutMs))]);
      const lock = `select pg_try_advisory_lock(hashtext('postback.partitions.' || $1)) as locked`;
      const { rows } = await client.query<{ locked: boolean }>(lock, [job]);
      if (rows[0]?.locked !== true) return false;
      await work(await PartitionSession.begin(client));
      return true;
    } finally {
      // Closing the connection would release the lock too, but a little later.
      await client.query('select pg_advisory_unlock_all()').catch(() => undefined);
      await closeClient(client);
    }
  }

  /** Returns the database's time. */
  readClock(): Promise<Date> {
    return readClock(this.dataSource);
  }

  /**
   * Deletes old rows of `sale_delivery` and `closure_notice`. Normally, their deliveries have already been dropped with a partition.
   *
   * The deletion of rows of sales that have a delivery also reads the rows that only contain how a sale was closed, although it keeps all of
   * them. A partial index would avoid these reads. But rows of this kind are few, and reading 150,000 of them
   * took 0.2 s: see docs/decisions/0022.
   *
   * @param olderThan rows of sales that have a delivery are deleted if they were created before this time
   * @param closedBefore rows that only contain how a sale was closed, and rows of notices, are deleted if they were created before this
   *   time. These rows are kept longer. The `sale.completed` of a closed sale may arrive much later, from a dead letter that is replayed for
   *   the second time, and must not cause a postback. A sale may be refunded again much later, after a chargeback that was reversed, and
   *   this must not cause the same notice again
   * @param stopped called between two parts of a deletion; if it returns true, the remaining rows are left to the next call
   */
  async forgetSales(olderThan: Date, closedBefore: Date, stopped: () => boolean): Promise<void> {
    const column = 'created_at';
    const delivered = { table: 'sale_delivery', column, condition: 'delivery_id is not null' };
    await deleteOldRows(this.dataSource, delivered, olderThan, stopped);
    await deleteOldRows(this.dataSource, { table: 'closure_notice', column }, closedBefore, stopped);
    await deleteOldRows(this.dataSource, { table: 'sale_delivery', column }, closedBefore, stopped);
  }
}

/** The statements with which one run of a job lists, creates, detaches and drops partitions. */
export class PartitionSession {
  private constructor(
    private readonly client: Client,
    private readonly schema: string,
  ) {}

  /** Switches to the role that owns the schema's tables, `<schema>_owner`, if the current role is a member of it. */
  static async begin(client: Client): Promise<PartitionSession> {
    const { rows } = await client.query<{ schema: string; owner: string | null }>(
      `select current_schema() as schema, (
         select quote_ident(rolname) from pg_roles
         where rolname = current_schema() || '_owner' and pg_has_role(current_user, oid, 'member')) as owner`,
    );
    const [{ schema, owner }] = rows as [{ schema: string; owner: string | null }];
    if (owner !== null) {
      await client.query(`set role ${owner}`);
      // After `set role`, "$user" in the search path means the owner, so the search path is set explicitly.
      await client.query(`select set_config('search_path', $1, false)`, [schema]);
    }
    return new PartitionSession(client, schema);
  }

  /** Returns a table's partitions, oldest first. */
  async list(table: PartitionedTable): Promise<AttachedPartition[]> {
    const { rows } = await this.client.query<AttachedPartition>(
      `select name, detaching, (bound)[1]::timestamptz as "from", (bound)[2]::timestamptz as "to" from (
         select c.relname as name, i.inhdetachpending as detaching,
           regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''([^'']+)''\\) TO \\(''([^'']+)''\\)') as bound
         from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass($1)) partition
       order by "from"`,
      [`${this.schema}.${table}`],
    );
    return rows;
  }

  /**
   * Creates a table and attaches it as a partition. Unlike `create table … partition of`, this does not block readers and writers of the
   * partitioned table.
   */
  async create(table: PartitionedTable, { name, from, to }: Partition): Promise<void> {
    await this.client.query('begin');
    try {
      await this.client.query(
        `create table ${name} (like ${table} including defaults including constraints)
         with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
      );
      await this.client.query(
        `alter table ${table} attach partition ${name} for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
      );
      await this.client.query('commit');
    } catch (error) {
      await this.client.query('rollback');
      throw error;
    }
  }

  /**
   * Returns whether a partition has pending deliveries. Even an old partition may have some, because a replay makes old deliveries pending
   * again.
   */
  async hasPending(name: string): Promise<boolean> {
    const { rows } = await this.client.query<{ found: boolean }>(
      `select exists (select from ${name} where status = 'pending') as found`,
    );
    return rows[0]?.found === true;
  }

  /**
   * Detaches a partition, because dropping an attached partition would lock the whole table. The detachment waits for transactions that use
   * the table, but no transaction waits for the detachment.
   */
  async detach(table: PartitionedTable, name: string): Promise<void> {
    await this.client.query(`alter table ${table} detach partition ${name} concurrently`);
  }

  /** Finishes the interrupted detachment of a partition. */
  async finishDetachment(table: PartitionedTable, name: string): Promise<void> {
    await this.client.query(`alter table ${table} detach partition ${name} finalize`);
  }

  /** Lists partitions that were detached but not dropped, for example because the process was killed in between. */
  async listDetached(table: PartitionedTable): Promise<string[]> {
    const { rows } = await this.client.query<{ name: string }>(
      `select c.relname as name from pg_class c
       where c.relnamespace = $1::regnamespace and c.relkind = 'r' and not c.relispartition and c.relname ~ ('^' || $2 || '_\\d{8}$')`,
      [this.schema, table],
    );
    return rows.map(({ name }) => name);
  }

  async drop(name: string): Promise<void> {
    await this.client.query(`drop table ${name}`);
  }
}
