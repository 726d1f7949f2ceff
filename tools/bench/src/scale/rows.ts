import type { Client } from 'pg';

export const PARTNERS = 10_000;
const CHUNK = 250_000;
export const DAYS = 80;
/** The number of partitions for past weeks; postback-dispatcher itself creates the partitions for coming weeks. */
const PAST_PARTITIONS = 13;

/**
 * Generates the sales numbered $1 to $2 of $3, spread over the last 80 days. Every tenth sale belongs to the large
 * partner, $4.
 */
const ROWS = `
  select n, 'scale_' || n as oid, now() - (${DAYS} * ($3::float8 - n) / $3) * interval '1 day' as at,
    case when n % 10 = 0 then $4 else 'scale_' || (n % ${PARTNERS}) end as partner_id
  from generate_series($1::int, $2::int) n`;

/** Generates the id of a delivery: a UUIDv7 with the row's time, like the ids that postback-dispatcher generates. */
const DELIVERY_ID = `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
  || '8' || substr(md5(n::text), 4, 15))::uuid`;

const FILL: readonly string[] = [
  `insert into partner.sale (oid, status, version, partner_id, promotion_id, environment, shared_id, attributed_by, attributed_at,
     payment_status, sold_at, amount, currency, items, email_masked, email_hash, qualified_at, created_at, updated_at)
   select oid, 'qualified', 1, r.partner_id, p.id, 'live', 'order-' || n, 'code', at, 'captured', at, '99.90', 'USD',
     '[{"price": "99.90", "quantity": "1", "category": "Advanced", "tier": "advanced", "sku": "Sell"}]', 's***e@example.com', md5(n::text), at, at, at
   from (${ROWS}) r join partner.promotion p on p.partner_id = r.partner_id`,
  // Counts the sales as partner-gateway does: for their partner and for all partners together.
  `insert into partner.sale_statistic as s (partner_id, environment, bucket, promotion_id, currency, slot, sales, held, revoked, refunded,
     charged_back, amount, revoked_amount, refunded_amount, charged_back_amount)
   select counted.partner_id, 'live', to_timestamp(floor(extract(epoch from at) / 900) * 900), counted.promotion_id, 'USD', 0, count(*), 0, 0, 0, 0,
     99.90 * count(*), 0, 0, 0
   from (${ROWS}) r join partner.promotion p on p.partner_id = r.partner_id
   cross join lateral (values (r.partner_id, p.id), ('*', '')) counted (partner_id, promotion_id) group by 1, 3, 4
   on conflict (partner_id, environment, bucket, promotion_id, currency, slot)
   do update set sales = s.sales + excluded.sales, amount = s.amount + excluded.amount`,
  `insert into postback.sale_delivery (oid, environment, delivery_id, created_at) select oid, 'live', ${DELIVERY_ID}, at from (${ROWS}) r`,
  `insert into postback.delivery (id, created_at, partner_id, environment, endpoint_id, oid, ref_id, event_id, body, status, attempt_count,
     failure_reason, next_attempt_at, delivered_at)
   select ${DELIVERY_ID}, at, r.partner_id, 'live', e.id, oid, 'order-' || n, 'scale', json_build_object('oid', oid, 'sharedId', 'order-' || n)::text,
     s.status, 1, case when s.status = 'failed' then 'exhausted' end, case when s.status = 'pending' then now() + interval '1 day' end,
     case when s.status = 'delivered' then at end
   from (${ROWS}) r join postback.endpoint e on e.partner_id = r.partner_id and e.environment = 'live'
   cross join lateral (select case when n % 100 in (10, 11) then 'failed' when n % 100 in (20, 21) then 'held' when n % 100 in (30, 31) then 'pending' else 'delivered' end) s (status)`,
  `insert into postback.attempt (delivery_id, number, at, status, latency_ms) select ${DELIVERY_ID}, 1, at, 200, 12 from (${ROWS}) r`,
  ...['partner', 'voucher', 'postback'].map(
    (schema) => `insert into ${schema}.inbox (consumer, event_id, handled_at)
      select 'scale', md5(n::text)::uuid, now() - (29 * ($3::float8 - n) / $3) * interval '1 day' from (${ROWS}) r`,
  ),
];

/**
 * The tables whose indexes are dropped while they are filled, because `FILL` only adds rows to them. The table of
 * statistics keeps its indexes, because each chunk also updates earlier rows of it.
 */
const FILLED: readonly string[] = [
  'partner.sale',
  'postback.sale_delivery',
  'postback.delivery',
  'postback.attempt',
  'partner.inbox',
  'voucher.inbox',
  'postback.inbox',
];

/** Creates partners, each with a promotion and an endpoint. Nothing is ever sent to the endpoints. */
const FILL_PARTNERS: readonly string[] = [
  `insert into partner.partner (id, name, kind, revoke_window_days)
   select 'scale_' || n, 'Scale', 'promotion', 30 from generate_series(0, ${PARTNERS - 1}) n`,
  `insert into partner.promotion (id, partner_id, code, percent_off)
   select 'scale_prm_' || n, 'scale_' || n, 'SCALE' || n, 20 from generate_series(0, ${PARTNERS - 1}) n`,
  `insert into postback.endpoint (id, partner_id, environment, url, auth_method, key_encrypted, signing_secret_encrypted)
   select gen_random_uuid(), p.id, 'live', 'https://partner.example.com/postback', 'Bearer', '-', '-' from partner.partner p
   on conflict do nothing`,
];

/**
 * Fills the database with partners, sales with their deliveries and attempts, and inbox rows.
 *
 * @param largePartner the partner that has a tenth of the sales
 */
export async function fillDatabase(client: Client, rows: number, largePartner: string): Promise<void> {
  for (const statement of FILL_PARTNERS) await client.query(statement);
  for (const table of ['delivery', 'attempt']) await makePastPartitions(client, table);
  const indexes = await dropIndexes(client);
  // With this setting no triggers run. The triggers of these tables only check foreign keys, and the rows are
  // consistent.
  await client.query("set session_replication_role = 'replica'");
  for (let from = 1; from <= rows; from += CHUNK) {
    const to = Math.min(rows, from + CHUNK - 1);
    // In one transaction all statements have the same now(), and so compute the same ids of deliveries.
    await client.query('begin');
    for (const statement of FILL) await client.query(statement, [from, to, rows, largePartner]);
    await client.query('commit');
    if (rows > CHUNK) console.log(`  ${to.toLocaleString('en')} of ${rows.toLocaleString('en')} sales`);
  }
  await client.query('reset session_replication_role');
  for (const definition of indexes) await client.query(definition);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  const size = await client.query<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  );
  console.log(`  ${size.rows[0]?.size} on disk`);
}

/**
 * Drops the indexes of the tables in `FILLED`, except those that belong to a constraint: building an index after the
 * filling takes a fraction of the time. The rebuilt indexes are denser than indexes after many single inserts.
 *
 * @returns the statements that create the indexes again
 */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
     from pg_index i where i.indrelid = any ($1::regclass[])
       and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`,
    [FILLED],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

/** Creates weekly partitions before the oldest existing one. */
async function makePastPartitions(client: Client, table: string): Promise<void> {
  // Uses the role that owns the other partitions, so that the apps have the same rights on the new ones.
  await client.query('set role postback_owner');
  try {
    for (let count = 0; count < PAST_PARTITIONS; count++) {
      const { rows } = await client.query<{ name: string; from: string; to: string }>(
        `select $1 || '_' || to_char(lowest - interval '7 days', 'YYYYMMDD') as name, (lowest - interval '7 days')::text as "from", lowest::text as "to"
         from (select min((regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''([^'']+)'''))[1]::timestamptz) as lowest
               from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ('postback.' || $1)::regclass) oldest`,
        [table],
      );
      const [{ name, from, to }] = rows as [{ name: string; from: string; to: string }];
      await client.query(
        `create table postback.${name} partition of postback.${table} for values from ('${from}') to ('${to}')`,
      );
    }
  } finally {
    await client.query('reset role');
  }
}
