import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager } from 'typeorm';

/** One time partition; its bounds are `from` ≤ row < `to`. */
export interface Partition {
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** Tables that are cut by time. */
export const PARTITIONED_TABLES = ['delivery', 'attempt'] as const;
export type PartitionedTable = (typeof PARTITIONED_TABLES)[number];

/** Makes and drops time partitions. Its transactions give up instead of standing in the way of the others. */
@Injectable()
export class PartitionRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs `work` while no other replica does the same. @returns false when one does */
  exclusively(work: (manager: EntityManager) => Promise<void>, lockTimeoutMs: number): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(`set local lock_timeout = ${Math.trunc(lockTimeoutMs)}`);
      const [row] = await manager.query<{ locked: boolean }[]>(
        `select pg_try_advisory_xact_lock(hashtext('postback.partitions')) as locked`,
      );
      if (row?.locked !== true) return false;
      // The tables belong to the schema's owner; the role's own name finds them in search_path no more.
      await manager.query(
        `select set_config('search_path', session_user, true), set_config('role', session_user || '_owner', true)`,
      );
      await work(manager);
      return true;
    });
  }

  /** A table's partitions, oldest first. */
  async list(manager: EntityManager, table: PartitionedTable): Promise<Partition[]> {
    return manager.query<Partition[]>(
      `select name, (bound)[1]::timestamptz as "from", (bound)[2]::timestamptz as "to" from (
         select c.relname as name,
           regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''([^'']+)''\\) TO \\(''([^'']+)''\\)') as bound
         from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass($1)) partition
       order by "from"`,
      [table],
    );
  }

  /** Attaching, unlike `create table … partition of`, does not lock out those who read and write the table. */
  async create(manager: EntityManager, table: PartitionedTable, partition: Partition): Promise<void> {
    const { name, from, to } = partition;
    await manager.query(
      `create table ${name} (like ${table} including defaults including constraints)
       with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
    );
    await manager.query(
      `alter table ${table} attach partition ${name} for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
    );
  }

  /** Whether something in it is still to be sent: a replay can make an old delivery pending again. */
  async hasPending(manager: EntityManager, partition: Partition): Promise<boolean> {
    const [row] = await manager.query<{ found: boolean }[]>(
      `select exists (select from ${partition.name} where status = 'pending') as found`,
    );
    return row?.found === true;
  }

  async drop(manager: EntityManager, partition: Partition): Promise<void> {
    await manager.query(`drop table ${partition.name}`);
  }

  /** Forgets sales whose deliveries are gone, a part at a time. @returns how many */
  async forgetSales(olderThan: Date, limit: number): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `delete from sale_delivery where ctid = any (array(
         select ctid from sale_delivery where created_at < $1 limit $2))`,
      [olderThan, limit],
    );
    return count;
  }
}
