import type { QueryRunner } from 'typeorm';

/** An index of the table `delivery`, which has time partitions. */
interface DeliveryIndex {
  readonly name: string;
  /** What the name of each partition's index ends with. */
  readonly suffix: string;
  /** The indexed columns in parentheses, and the condition of a partial index. */
  readonly columns: string;
}

/**
 * Finds the partitions that have no index attached to the index of the table, each with the name that its index will have. A partition that
 * is attached later gets its index then.
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
 * Creates an index of `delivery`, outside a transaction, without a lock that stops writers. An index of a partitioned table cannot be created
 * concurrently, so it is created for the table alone, then for each partition. A repeat finishes what an interrupted run has left.
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
