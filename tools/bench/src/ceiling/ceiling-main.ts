import { Pool, PoolClient } from 'pg';
import { Agent, request } from 'undici';

/**
 * The bare loop with which postback-dispatcher is compared, in a separate process. Until no row is left, it
 * - claims up to 100 rows with pg, and sends them with undici
 * - marks the rows as delivered and logs their attempts, in one transaction
 *
 * It has no leases, signatures, events or limits per endpoint. If several loops run, their waits for the disk overlap.
 */
const BATCH = 100;

interface Row {
  id: string;
  url: string;
  body: string;
}

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 4 });
const agent = new Agent({ connections: 16 });

const CLAIM = `
  update ceiling.delivery d set claimed = true from (
    select id from ceiling.delivery where status = 'pending' and not claimed order by next_attempt_at limit ${BATCH}
    for update skip locked) due
  where d.id = due.id returning d.id, d.url, d.body`;

const MARK = `
  update ceiling.delivery set status = 'delivered', attempt_count = 1, delivered_at = clock_timestamp() where id = any ($1)`;

const LOG = `
  insert into ceiling.attempt (delivery_id, number, at, status, latency_ms)
  select id, 1, clock_timestamp(), 200, 1 from unnest($1::uuid[]) as id`;

async function send({ id, url, body }: Row): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer partner-key', 'webhook-id': id };
  const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`);
}

async function store(client: PoolClient, ids: string[]): Promise<void> {
  await client.query('begin');
  await client.query({ name: 'mark', text: MARK, values: [ids] });
  await client.query({ name: 'log', text: LOG, values: [ids] });
  await client.query('commit');
}

async function loop(): Promise<void> {
  const client = await pool.connect();
  try {
    for (;;) {
      const { rows } = await client.query<Row>({ name: 'claim', text: CLAIM });
      if (rows.length === 0) return;
      await Promise.all(rows.map(send));
      await store(
        client,
        rows.map(({ id }) => id),
      );
    }
  } finally {
    client.release();
  }
}

/** Runs the loops until no row is left, and reports the time and the CPU time that they needed. */
async function run(loops: number): Promise<void> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(Array.from({ length: loops }, loop));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ seconds, cpuMs: (user + system) / 1000 });
}

function fail(error: Error): void {
  console.error(error.stack);
  process.exit(1);
}

for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0));
process.on('message', ({ loops }: { loops: number }) => void run(loops).catch(fail));
pool.query('select 1').then(() => process.send?.({}), fail);
