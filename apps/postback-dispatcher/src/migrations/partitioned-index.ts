import type { QueryRunner } from 'typeorm';

/** An index of the table `delivery`, which has time partitions. */
interface DeliveryIndex {
  readonly name: string;
  /** The end of the name of each partition's index; the beginning is the partition's name. */
  readonly suffix: string;
  /** The indexed columns in parentheses, and the condition of a partial index. */
  readonly columns: string;
}

/**
 * Finds the existing partitions that have no index attached to the table's index. Returns each partition with the name that its index will
 * have. A partition that is created later gets its index from Postgres when it is attached to the table.
 */
const missingOf = ({ name, suffix }: DeliveryIndex): string => `
  select quote_ident(c.relname) as partition, quote_ident(c.relname || '${suffix}') as index
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'delivery'::regclass and not i.inhdetachpending
     and not exists (
       select from pg_index x join pg_inherits a on a.inhrelid = x.indexrelid
        where x.indrelid = c.oid and a.inhparent = '${name}'::regclass)
   order by c.relname`;

/**
 * Creates an index of `delivery` without blocking writers. Must not run in a transaction. Postgres cannot create an index of a partitioned
 * table concurrently. So the index is first created for the table alone, and then concurrently for each partition. If a run was
 * interrupted, the next run creates the indexes that are still missing.
 */
export async function createDeliveryIndex(runner: QueryRunner, wanted: DeliveryIndex): Promise<void> {
  const { name, columns } = wanted;
  await runner.query(`create index if not exists ${name} on only delivery ${columns}`);
  const missing = (await runner.query(missingOf(wanted))) as { partition: string; index: string }[];
  for (const { partition, index } of missing) {
    await runner.query(`drop index concurrently if exists ${index}`);
    await runner.query(`create index concurrently ${index} on ${partition} ${columns}`);
    await runner.query(`alter index ${name} attach partition ${index}`);
  }
}
