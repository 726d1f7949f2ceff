import { createDataSource, deleteOldRows } from '@tandem/database';
import { Retention } from '@tandem/messaging';
import { ageTable, buffersRead, eventually, uniqueId } from '@tandem/testing';
import { IngestApp } from './ingest-app';

const DAY_MS = 86_400_000;
let ingest: IngestApp;

beforeAll(async () => {
  ingest = await IngestApp.start({ WEBHOOK_RETENTION_DAYS: '30', WEBHOOK_CLEANUP_INTERVAL_MS: '3600000' });
});
afterAll(() => ingest.stop());

const deleteExpired = (by = ingest): Promise<void> => by.running.nest.get(Retention).deleteExpired();

const insert = (prefix: string, count: number, ageDays: number): Promise<unknown> =>
  ingest.database.query(
    `insert into ingest.inbound_webhook (id, integration, type, received_at, occurred_at, body_encrypted, path)
     select $1 || n, 'payments', 't', $2, now(), 'x', '/' from generate_series(1, $3) n`,
    [prefix, new Date(Date.now() - ageDays * DAY_MS), count],
  );

const countOf = async (prefix: string): Promise<number> => {
  const rows = await ingest.database.query(`select 1 from ingest.inbound_webhook where starts_with(id, $1)`, [prefix]);
  return rows.length;
};

describe('stored webhooks', () => {
  it('are deleted after the retention time, not earlier, even if 2,500 have expired', async () => {
    const [old, young] = [uniqueId('old'), uniqueId('young')];
    await insert(old, 2_500, 30.01);
    await insert(young, 3, 29.99);
    await deleteExpired();
    expect({ old: await countOf(old), young: await countOf(young) }).toEqual({ old: 0, young: 3 });
  });

  it('have claims that are deleted after the window, not earlier', async () => {
    const insertClaims = (count: number, ageDays: number): Promise<unknown> =>
      ingest.database.query(
        `insert into ingest.webhook_claim select gen_random_uuid(), gen_random_uuid(), $1 from generate_series(1, $2)`,
        [new Date(Date.now() - ageDays * DAY_MS), count],
      );
    await insertClaims(1_500, 7.01);
    await insertClaims(3, 6.99);
    await deleteExpired();
    expect(await ingest.database.query('select 1 from ingest.webhook_claim')).toHaveLength(3);
  });

  it('are deleted completely, at the latest in the next round, when two replicas delete them concurrently', async () => {
    const old = uniqueId('old');
    await insert(old, 3_000, 31);
    await ingest.withReplica({ WEBHOOK_RETENTION_DAYS: '30' }, async (other) => {
      await Promise.all([deleteExpired(), deleteExpired(other)]);
      // A replica skips rows that the other one has locked, and stops when it finds fewer than 1,000 unlocked rows. The next round deletes
      // the rows that remain.
      await deleteExpired();
      expect(await countOf(old)).toBe(0);
    });
  });

  it.each([
    [
      'inbound_webhook',
      `select n::text || '-aged', 'payments', 't', now() - $3 * interval '1 day', now(), repeat('x', 50), '/'`,
      '(id, integration, type, received_at, occurred_at, body_encrypted, path)',
    ],
    [
      'webhook_claim',
      `select gen_random_uuid(), gen_random_uuid(), now() - $3 * interval '1 day'`,
      '(key, content, claimed_at)',
    ],
  ])('are deleted without reading the whole table, even if its pages were reused: %s', async (table, rows, columns) => {
    const insert = `insert into ingest.${table} ${columns} ${rows} from generate_series($1::int, $2::int) n`;
    const { old, pages } = await ageTable(ingest.database, { table: `ingest.${table}`, insert }, deleteExpired);
    const url = ingest.database.urlFor('ingest');
    const single = await createDataSource({ url, applicationName: 'retention', poolMax: 1 }).initialize();
    try {
      const column = table === 'webhook_claim' ? 'claimed_at' : 'received_at';
      const before = new Date(Date.now() - 100 * DAY_MS);
      const buffers = await buffersRead(single, table, () => deleteOldRows(single, { table, column }, before));
      expect(pages).toBeGreaterThan(1_000);
      expect(buffers).toBeLessThan(20 * old);
    } finally {
      await single.destroy();
    }
  });

  it('are deleted automatically soon after the start, long before the first interval has passed', () =>
    ingest.withReplica({ WEBHOOK_RETENTION_DAYS: '30', WEBHOOK_CLEANUP_INTERVAL_MS: '3600000' }, async () => {
      const old = uniqueId('start');
      await insert(old, 2, 31);
      await eventually(async () => expect(await countOf(old)).toBe(0));
    }));

  it('are deleted automatically after every interval', () =>
    ingest.withReplica({ WEBHOOK_RETENTION_DAYS: '30', WEBHOOK_CLEANUP_INTERVAL_MS: '20' }, async () => {
      for (const round of ['first', 'second']) {
        const old = uniqueId(round);
        await insert(old, 2, 31);
        await eventually(async () => expect(await countOf(old)).toBe(0));
      }
    }));
});
