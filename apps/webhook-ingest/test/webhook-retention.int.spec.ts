import { eventually, uniqueId } from '@tandem/testing';
import { WebhookRetentionService } from '../src/webhook-retention/webhook-retention.service';
import { IngestApp } from './ingest-app';

const DAY_MS = 86_400_000;
let ingest: IngestApp;

beforeAll(async () => {
  ingest = await IngestApp.start({ WEBHOOK_RETENTION_DAYS: '30', WEBHOOK_CLEANUP_INTERVAL_MS: '3600000' });
});
afterAll(() => ingest.stop());

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
  it('are deleted past their age, in several batches, and not before', async () => {
    const [old, young] = [uniqueId('old'), uniqueId('young')];
    await insert(old, 2_500, 30.01);
    await insert(young, 3, 29.99);
    const deleted = await ingest.running.nest.get(WebhookRetentionService).deleteExpired(new Date());
    expect({ deleted, old: await countOf(old), young: await countOf(young) }).toEqual({
      deleted: 2_500,
      old: 0,
      young: 3,
    });
  });

  it('lose their claims when the window is over, and not before', async () => {
    const insertClaims = (count: number, ageDays: number): Promise<unknown> =>
      ingest.database.query(
        `insert into ingest.webhook_claim select gen_random_uuid(), gen_random_uuid(), $1 from generate_series(1, $2)`,
        [new Date(Date.now() - ageDays * DAY_MS), count],
      );
    await insertClaims(1_500, 7.01);
    await insertClaims(3, 6.99);
    await ingest.running.nest.get(WebhookRetentionService).deleteExpired(new Date());
    expect(await ingest.database.query('select 1 from ingest.webhook_claim')).toHaveLength(3);
  });

  it('are deleted once by two replicas at the same time', async () => {
    const old = uniqueId('old');
    await insert(old, 3_000, 31);
    const retention = ingest.running.nest.get(WebhookRetentionService);
    await ingest.withReplica({ WEBHOOK_RETENTION_DAYS: '30' }, async (other) => {
      const deleted = await Promise.all([
        retention.deleteExpired(new Date()),
        other.running.nest.get(WebhookRetentionService).deleteExpired(new Date()),
      ]);
      // A replica that finds the rows taken stops early: what is left is the next round's.
      expect(deleted[0] + deleted[1] + (await retention.deleteExpired(new Date()))).toBe(3_000);
      expect(await countOf(old)).toBe(0);
    });
  });

  it('are deleted by themselves, round after round', () =>
    ingest.withReplica({ WEBHOOK_RETENTION_DAYS: '30', WEBHOOK_CLEANUP_INTERVAL_MS: '20' }, async () => {
      for (const round of ['first', 'second']) {
        const old = uniqueId(round);
        await insert(old, 2, 31);
        await eventually(async () => expect(await countOf(old)).toBe(0));
      }
    }));
});
