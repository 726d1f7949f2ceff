import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = '(partner_id, environment, left(ref_id, 500), created_at, id) where ref_id is not null';

/**
 * Finds the partitions that have no index attached to `delivery_reference_start`, each with the name that its index will have. A partition
 * that is attached later gets its index then.
 */
const MISSING = `
  select quote_ident(c.relname) as partition, quote_ident(c.relname || '_reference_start') as index
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'delivery'::regclass and not i.inhdetachpending
     and not exists (
       select from pg_index x join pg_inherits a on a.inhrelid = x.indexrelid
        where x.indrelid = c.oid and a.inhparent = 'delivery_reference_start'::regclass)
   order by c.relname`;

/**
 * Adds an index of deliveries by the first 500 characters of the reference. It replaces `delivery_reference`: a reference can have 1,024
 * characters of up to 4 bytes, and Postgres refuses a row whose index entry exceeds 2,704 bytes. An index of a partitioned table cannot be
 * created concurrently, so it is created for the table alone, then for each partition.
 */
export class IndexStartOfReferences1769200000000 implements MigrationInterface {
  static readonly contract =
    'the locked table is partitioned and has no rows itself, so its lock is held only for a moment';

  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index if not exists delivery_reference_start on only delivery ${COLUMNS}`);
    const missing = (await runner.query(MISSING)) as { partition: string; index: string }[];
    for (const { partition, index } of missing) {
      await runner.query(`drop index concurrently if exists ${index}`);
      await runner.query(`create index concurrently ${index} on ${partition} ${COLUMNS}`);
      await runner.query(`alter index delivery_reference_start attach partition ${index}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index delivery_reference_start');
  }
}
