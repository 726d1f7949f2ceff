import { createDataSource } from '@tandem/database';
import { ageTable, buffersRead, type TestDatabase } from '@tandem/testing';
import type { DataSource } from 'typeorm';
import { resolveOptions } from '../src/events-options';
import { Retention } from '../src/retention/retention';
import { createMessagingDatabase } from './fixture/database';

const DAY_MS = 86_400_000;

describe('the retention', () => {
  let database: TestDatabase;
  let source: DataSource;
  let retention: Retention;

  beforeAll(async () => {
    database = await createMessagingDatabase();
    const url = database.urlFor('reader');
    source = await createDataSource({ url, applicationName: 'retention', poolMax: 1 }).initialize();
    retention = new Retention(source, resolveOptions({ app: 'reader', bus: 'postgres', busUrl: url }));
  });
  afterAll(async () => {
    await source?.destroy();
    await database?.drop();
  });

  const deleteOld = (): Promise<void> => retention.deleteExpired();
  const countOf = async (table: string): Promise<number> => {
    const [row] = await database.query<{ count: number }>(`SELECT count(*)::integer AS count FROM reader.${table}`);
    return row?.count ?? 0;
  };

  it('reads fewer than 20 buffers per deleted inbox row, even when pages of the table were reused', async () => {
    const insert = `INSERT INTO reader.inbox SELECT 'reader', gen_random_uuid(), now() - $3 * interval '1 day' FROM generate_series($1::int, $2::int)`;
    const { old, pages } = await ageTable(database, { table: 'reader.inbox', insert }, deleteOld);
    const before = await countOf('inbox');
    const buffers = await buffersRead(source, 'inbox', deleteOld);
    expect(await countOf('inbox')).toBe(before - old);
    expect(pages).toBeGreaterThan(1_000);
    expect(buffers).toBeLessThan(20 * old);
  });

  it('deletes dead letters 90 days after their last failure, unless a replay is requested', async () => {
    const insert = (offset: number, age: string, requested: string | null = null): Promise<unknown> =>
      database.query(
        `INSERT INTO reader.dead_letter (consumer, event_id, topic, "partition", "offset", headers, reason, attempts, failed_at, replay_requested_at)
         VALUES ('reader', gen_random_uuid(), 'note', 0, $1, '{}', 'x', 1, now() - $2::interval, $3)`,
        [offset, age, requested],
      );
    await insert(1, '91 days');
    await insert(2, '89 days');
    await insert(3, '91 days', new Date(Date.now() - 1_000).toISOString());
    await deleteOld();
    const left = await database.query('SELECT "offset" FROM reader.dead_letter ORDER BY 1');
    expect(left).toEqual([{ offset: '2' }, { offset: '3' }]);
  });

  it('continues with the other tables when one table cannot be cleaned', async () => {
    const broken = new Retention(source, resolveOptions({ app: 'reader', bus: 'postgres', busUrl: 'postgres://x' }));
    broken.add({ table: 'no_such_table', column: 'at', keepMs: 0 });
    broken.add({ table: 'effect_age', column: 'at', keepMs: DAY_MS });
    await database.query('CREATE TABLE reader.effect_age (at timestamptz)');
    await database.query('GRANT SELECT, UPDATE, DELETE ON reader.effect_age TO reader');
    await database.query(`INSERT INTO reader.effect_age VALUES (now() - interval '2 days'), (now())`);
    await broken.deleteExpired();
    expect(await countOf('effect_age')).toBe(1);
  });

  it('deletes all old rows, even if they do not fit into one transaction', async () => {
    await database.query(
      `INSERT INTO reader.inbox SELECT 'many', gen_random_uuid(), now() - interval '31 days' FROM generate_series(1, 2500)`,
    );
    await deleteOld();
    expect(await database.query(`SELECT 1 FROM reader.inbox WHERE consumer = 'many'`)).toEqual([]);
  });
});
