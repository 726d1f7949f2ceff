import type { TestDatabase } from '@tandem/testing';

/** A statement that made Postgres write all rows of an existing table again, under a lock that stops reads and writes. */
export interface TableRewrite {
  /** The statement as the client sent it. */
  readonly query: string;
  /** The table, with its schema. */
  readonly table: string;
}

/**
 * Creates event triggers that record each statement that rewrites a table, unless the same transaction created the table. Requires a superuser. Works
 * on empty tables too: whether Postgres rewrites a table does not depend on its rows. Does not record VACUUM FULL and CLUSTER, because Postgres reports only
 * rewrites by ALTER statements. A migration without a transaction is also recorded if it rewrites a table that it has created itself.
 */
export const RECORD_REWRITES = `
  create schema rewrites;
  grant usage on schema rewrites to public;
  create table rewrites.created (oid oid, transaction xid8 default pg_current_xact_id());
  create table rewrites.rewritten (query text default current_query(), name text);
  grant select, insert on all tables in schema rewrites to public;
  create function rewrites.note_created() returns event_trigger language plpgsql as $$ begin
    insert into rewrites.created (oid) select objid from pg_event_trigger_ddl_commands() where object_type = 'table';
  end $$;
  create function rewrites.note_rewritten() returns event_trigger language plpgsql as $$ begin
    insert into rewrites.rewritten (name) select relnamespace::regnamespace || '.' || relname from pg_class
      where oid = pg_event_trigger_table_rewrite_oid() and not exists (select from rewrites.created
        where created.oid = pg_class.oid and transaction = pg_current_xact_id());
  end $$;
  create event trigger note_created on ddl_command_end when tag in ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO') execute function rewrites.note_created();
  create event trigger note_rewritten on table_rewrite execute function rewrites.note_rewritten();`;

/** Returns the recorded statements of a database that ran {@link RECORD_REWRITES}, in order. */
export const recordedRewrites = (database: TestDatabase): Promise<TableRewrite[]> =>
  database.query<TableRewrite & Record<string, unknown>>(`select query, name as table from rewrites.rewritten`);
