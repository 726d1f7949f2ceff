import { migrateApps } from '@tandem/service-defaults';
import { createTestDatabase, templateOf, TEST_ROLE_PASSWORD, type TestDatabase } from '@tandem/testing';
import { SCHEMA } from '../src/migrations';
import { IndexStartOfReferences1769200000000 } from '../src/migrations/1769200000000-index-start-of-references';

const migrate = (superuserUrl: string, migrations: typeof SCHEMA.migrations): Promise<unknown> => {
  const apps = [{ app: 'postback-dispatcher', schema: { ...SCHEMA, migrations }, rolePassword: TEST_ROLE_PASSWORD }];
  return migrateApps({ superuserUrl, bus: 'postgres', apps });
};

describe('the index of deliveries by reference', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    const before = SCHEMA.migrations.slice(0, SCHEMA.migrations.indexOf(IndexStartOfReferences1769200000000));
    const template = templateOf('postback-dispatcher-before-reference-start', before);
    database = await createTestDatabase({ template, prepare: async (url) => void (await migrate(url, before)) });
  });
  afterAll(() => database.drop());

  const addPartition = (year: number): Promise<unknown> =>
    database.query(`
      create table postback.delivery_${year} partition of postback.delivery
        for values from ('${year}-01-01') to ('${year + 1}-01-01');
      alter table postback.delivery_${year} owner to postback_owner`);

  /** Returns the names of `delivery` and its partitions, except those whose index is missing or incomplete. */
  const indexed = (): Promise<unknown[]> =>
    database.query(
      `select c.relname as table from pg_index x join pg_class c on c.oid = x.indrelid
        where x.indisvalid and (x.indexrelid = 'postback.delivery_reference_start'::regclass or x.indexrelid in (
          select inhrelid from pg_inherits where inhparent = 'postback.delivery_reference_start'::regclass))
        order by 1`,
    );

  it('is created for all partitions, even if the migration was interrupted, and for partitions that are added later', async () => {
    for (const year of [2024, 2025]) await addPartition(year);
    await migrate(database.superuserUrl, SCHEMA.migrations);
    const all = ['delivery', 'delivery_2024', 'delivery_2025'].map((table) => ({ table }));
    expect(await indexed()).toEqual(all);

    await database.query('drop index postback.delivery_reference_start');
    await database.query(`
      create index delivery_reference_start on only postback.delivery
        (partner_id, environment, left(ref_id, 500), created_at, id) where ref_id is not null;
      create index delivery_2024_reference_start on postback.delivery_2024 (id);
      delete from postback.migrations where name = '${IndexStartOfReferences1769200000000.name}'`);
    await migrate(database.superuserUrl, SCHEMA.migrations);
    expect(await indexed()).toEqual(all);
    await addPartition(2026);
    expect(await indexed()).toEqual([...all, { table: 'delivery_2026' }]);
  });
});
