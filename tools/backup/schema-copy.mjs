/**
 * Tables whose existing rows are kept, because they contain unsent events and records of who did what. A restore only adds the rows that are missing.
 */
const KEPT = ['outbox', 'audit_entry'];

/** The number of rows per fetch. It is small because the row of an event can have almost a megabyte. */
const ROWS_AT_ONCE = 200;

/**
 * Lists the tables of a schema with their writable columns. Unlogged tables are left out, because a recovery empties
 * them.
 */
const TABLES = `
  select c.relname as name, array_agg(quote_ident(a.attname) order by a.attname) as columns,
    array_agg(format_type(a.atttypid, a.atttypmod) order by a.attname) as types
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
  group by c.relname order by c.relname`;

const PARTITIONS = `
  select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
  where c.relnamespace = to_regnamespace($1) and c.relispartition and c.relkind = 'r'`;

const SEQUENCES = `select sequencename as name, coalesce(last_value, 0)::text as last from pg_sequences where schemaname = $1`;

/**
 * Replaces the rows of a schema with those of another server, in the transaction of `live`.
 *
 * @param {object} options
 * @param {import('pg').Client} options.live a superuser, in a transaction
 * @param {import('pg').Client} options.restored a superuser of the other server
 * @param {string} options.schema
 * @returns {Promise<{ table: string, before: number, after: number }[]>} the number of rows of each table, before and
 *   after
 * @throws when the tables or migrations of the two servers differ
 */
export async function replaceRows({ live, restored, schema }) {
  const rowsOf = async (client, sql) => (await client.query(sql, [schema])).rows;
  const tables = sameTables(schema, await rowsOf(live, TABLES), await rowsOf(restored, TABLES));
  await sameMigrations(schema, live, restored);
  await live.query(`set local session_replication_role = replica`); // runs no triggers, and checks no foreign keys
  await live.query(`set local lock_timeout = '10s'`);
  await addPartitions(schema, live, await rowsOf(live, PARTITIONS), await rowsOf(restored, PARTITIONS));
  const copies = tables.map(({ name, columns }) => ({
    name: `${schema}.${name}`,
    table: `${schema}.${live.escapeIdentifier(name)}`,
    isKept: KEPT.includes(name),
    columns: columns.join(', '),
  }));
  const counts = [];
  for (const { name, table } of copies) counts.push({ table: name, before: await countOf(live, table), after: 0 });
  const replaced = copies.filter(({ isKept }) => !isKept).map(({ table }) => table);
  await live.query(`truncate ${replaced.join(', ')}`);
  for (const [index, { table, columns }] of copies.entries()) {
    await copyRows(live, restored, table, columns);
    counts[index].after = await countOf(live, table);
  }
  await raiseSequences(schema, live, await rowsOf(live, SEQUENCES), await rowsOf(restored, SEQUENCES));
  return counts;
}

const countOf = async (client, table) => (await client.query(`select count(*)::float8 as n from ${table}`)).rows[0].n;

function sameTables(schema, live, restored) {
  if (restored.length === 0) throw new Error(`the backup has no schema ${schema}`);
  const text = ({ name, columns, types }) => JSON.stringify([name, columns, types]);
  const known = new Set(live.map(text));
  const missing = restored.filter((table) => !known.has(text(table)));
  if (missing.length === 0 && live.length === restored.length)
    return restored.filter(({ name }) => name !== 'migrations');
  const names =
    missing.length > 0 ? missing : live.filter(({ name }) => restored.every((table) => table.name !== name));
  throw new Error(
    `the tables of ${schema} have changed since the restored time: ${names.map(({ name }) => name).join(', ')}. ` +
      `If a table was dropped, drop the schema and run npm run migrate. If a newer release was installed, restore everything instead, as docs/restore.md describes: the next start migrates the restored data`,
  );
}

async function sameMigrations(schema, ...clients) {
  const [live, restored] = await Promise.all(
    clients.map(async (client) => (await client.query(`select name from ${schema}.migrations order by name`)).rows),
  );
  if (JSON.stringify(live) !== JSON.stringify(restored))
    throw new Error(
      `${schema} has been migrated since the restored time. Restore everything instead, as docs/restore.md describes: the next start migrates the restored data`,
    );
}

/**
 * Adds the partitions that were dropped after the restored time. The app later drops those that are past their retention.
 */
async function addPartitions(schema, client, live, restored) {
  const existing = new Set(live.map(({ name }) => name));
  const missing = restored.filter(({ name }) => !existing.has(name));
  if (missing.length === 0) return;
  await client.query(`set local role ${schema}_owner`);
  for (const { name, parent, bound } of missing)
    await client.query(`create table ${schema}.${name} partition of ${schema}.${parent} ${bound}`);
  await client.query('reset role');
}

/**
 * Copies the rows of a table from the restored server to the live one; a row that the live table already has stays unchanged. Rows are
 * transferred as text, which every type writes and reads without loss.
 */
async function copyRows(live, restored, table, columns) {
  await live.query(`create temp table shape on commit drop as select ${columns} from ${table} with no data`);
  await restored.query('begin read only');
  await restored.query(
    `declare wanted no scroll cursor for select row::text from (select ${columns} from ${table}) row`,
  );
  for (;;) {
    const { rows } = await restored.query({ text: `fetch ${ROWS_AT_ONCE} from wanted`, rowMode: 'array' });
    if (rows.length === 0) break;
    await live.query(
      `insert into ${table} (${columns}) overriding system value
       select (given.r).* from (select text::pg_temp.shape as r from unnest($1::text[]) as text offset 0) as given
       on conflict do nothing`,
      [rows.flat()],
    );
  }
  await restored.query('rollback');
  await live.query('drop table shape');
}

/** Raises each sequence to the other server's value if that value is higher, so that no number is used twice. */
async function raiseSequences(schema, client, live, restored) {
  const lastOf = new Map(live.map(({ name, last }) => [name, BigInt(last)]));
  for (const { name, last } of restored)
    if (BigInt(last) > (lastOf.get(name) ?? 0n))
      await client.query('select setval(to_regclass($1), $2::bigint)', [`${schema}.${name}`, last]);
}

/**
 * Sets back the positions of an app's consumer group on the Postgres bus to those in the other server. The app then reads all later events again, but
 * skips those that it had already handled at the restored moment, because the restored inbox has their ids.
 *
 * @returns {Promise<{ again: number, removed: number }>} `again`: the number of events that the app will read again; `removed`: the number of events
 *   that it cannot read again, because the bus has removed them
 */
export async function rewindGroup({ live, restored, group }) {
  const { rows: cursors } = await restored.query(
    `select topic, "partition", "position"::text from bus.group_cursor where group_name = $1`,
    [group],
  );
  const { rows: counts } = await live.query(
    `with restored as (
       select * from unnest($2::text[], $3::integer[], $4::bigint[]) as t (topic, "partition", "position")),
     moved as (
       update bus.group_cursor c set owner = null, epoch = c.epoch + 1, "position" = least(c."position", coalesce(
           (select t."position" from restored t where t.topic = c.topic and t."partition" = c."partition"), 0))
       where c.group_name = $1 returning topic, "partition", "position"),
     ends as (
       select m."position", tp.next_offset, (select count(*) from bus.event_log l where l.topic = m.topic
           and l."partition" = m."partition" and l."offset" >= m."position") as kept
       from moved m join bus.topic_partition tp using (topic, "partition"))
     select coalesce(sum(kept), 0)::float8 as again,
       coalesce(sum(next_offset - "position" - kept) filter (where "position" > 0), 0)::float8 as removed from ends`,
    [
      group,
      cursors.map(({ topic }) => topic),
      cursors.map(({ partition }) => partition),
      cursors.map((one) => one.position),
    ],
  );
  return counts[0];
}
