import { deadLetterTopicOf, TOPOLOGY } from '@tandem/contracts';
import type { TestDatabase } from '@tandem/testing';
import { APPS, createPlatformDatabase, RoleSession, statementsOn, tablesOf, type Verdict } from './fixture/roles';

const MEMBER = '00000000-0000-4000-8000-000000000000';

const verdict = (allowed: boolean): Verdict => (allowed ? 'allowed' : 'refused');

const append = (topic: string): [string, unknown[]] => [
  'SELECT bus.append($1, $2, $3, $4, $5)',
  [[topic], [0], ['key'], ['{}'], [Buffer.from('{}')]],
];

const onPartition = (group: string, topic: string): Record<string, [string, unknown[]]> => ({
  [`${group} heartbeat ${topic}`]: [
    `SELECT * FROM bus.heartbeat($1, $2, $3, 5000, '{}', '{}', '{}', '{}')`,
    [group, MEMBER, [topic]],
  ],
  [`${group} read ${topic}`]: ['SELECT * FROM bus.read_partitions($1, $2, $3, $4)', [group, [topic], [0], [0]]],
  [`${group} lag ${topic}`]: ['SELECT * FROM bus.lag($1, $2)', [group, [topic]]],
  [`${group} release ${topic}`]: ['SELECT bus.release($1, $2, $3, 0, 1, 9)', [group, MEMBER, topic]],
});

const onGroup = (group: string): Record<string, [string, unknown[]]> => ({
  [`${group} leave`]: ['SELECT bus.leave_group($1, $2)', [group, MEMBER]],
  [`${group} heartbeat of no topic`]: [
    `SELECT * FROM bus.heartbeat($1, $2, '{}', 0, '{}', '{}', '{}', '{}')`,
    [group, MEMBER],
  ],
});

const all = (names: string[], expected: Verdict): Record<string, Verdict> =>
  Object.fromEntries(names.map((name) => [name, expected]));

describe('the platform’s database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createPlatformDatabase();
  }, 60_000);
  afterAll(() => database.drop());

  it('rejects a payment.received that the role voucher forges', async () => {
    const voucher = await RoleSession.open(database, 'voucher');
    await expect(voucher.client.query(...append('payment.received'))).rejects.toMatchObject({
      code: '42501',
      message: 'the role voucher may not publish payment.received',
    });
    await voucher.close();
    expect(await database.query('SELECT * FROM bus.event_log')).toEqual([]);
  });

  it('rejects a batch that contains an event of another publisher’s topic', async () => {
    const partner = await RoleSession.open(database, 'partner');
    const topics = ['sale.completed', 'payment.received', 'sale.revoked'];
    const same = <T>(value: T): T[] => topics.map(() => value);
    const sent = [topics, same(0), same('key'), same('{}'), same(Buffer.from('{}'))];
    await expect(partner.client.query('SELECT bus.append($1, $2, $3, $4, $5)', sent)).rejects.toMatchObject({
      code: '42501',
    });
    await partner.close();
  });

  describe.each(APPS)('$role', ({ role, app }) => {
    let session: RoleSession;
    beforeAll(async () => {
      session = await RoleSession.open(database, role);
    });
    afterAll(() => session.close());

    const publishes = TOPOLOGY.filter(({ publishers }) => publishers.includes(app)).map(({ event }) => event.topic);
    const consumes = TOPOLOGY.filter(({ consumers }) => consumers.includes(app)).map(({ event }) => event.topic);

    it('can append only to topics that its app publishes, and to dead-letter topics of topics that its app consumes', async () => {
      const topics = TOPOLOGY.flatMap(({ event }) => [event.topic, deadLetterTopicOf(event.topic)]);
      const own = [...publishes, ...consumes.map(deadLetterTopicOf)];
      const expected = Object.fromEntries(topics.map((topic) => [topic, verdict(own.includes(topic))]));
      const tried = Object.fromEntries(topics.map((topic) => [topic, append(topic)]));
      expect(await session.tryAll(tried)).toEqual(expected);
      const { rows } = await session.client.query<{ topic: string }>(
        'SELECT topic FROM bus.partitions() ORDER BY topic',
      );
      expect(rows.map(({ topic }) => topic)).toEqual([...own].sort());
    });

    it('can consume only as its own group, and only the topics that its app consumes', async () => {
      const tried: Record<string, [string, unknown[]]> = {};
      const expected: Record<string, Verdict> = {};
      for (const { app: group } of APPS) {
        const own = group === app && consumes.length > 0;
        Object.assign(tried, onGroup(group));
        Object.assign(expected, all(Object.keys(onGroup(group)), verdict(own)));
        for (const { event } of TOPOLOGY) {
          const statements = onPartition(group, event.topic);
          Object.assign(tried, statements);
          Object.assign(expected, all(Object.keys(statements), verdict(own && consumes.includes(event.topic))));
        }
      }
      expect(await session.tryAll(tried)).toEqual(expected);
    });

    it('cannot access the tables of the bus, and cannot call its inner function authorize_group', async () => {
      const tables = await tablesOf(database, 'bus');
      expect(tables.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['event_log', 'role_publishes', 'retention']),
      );
      const tried = {
        ...Object.assign({}, ...tables.map((table) => statementsOn('bus', table))),
        'authorize_group()': `SELECT bus.authorize_group('${app}', '{}')`,
        'create a table': 'CREATE TABLE bus.mine ()',
      };
      expect(await session.tryAll(tried)).toEqual(all(Object.keys(tried), 'refused'));
    });

    it('cannot read or change other apps’ schemas', async () => {
      for (const { role: other } of APPS.filter((one) => one.role !== role)) {
        const tables = await tablesOf(database, other);
        const tried = {
          ...Object.assign({}, ...tables.map((table) => statementsOn(other, table))),
          [`create a table in ${other}`]: `CREATE TABLE ${other}.mine ()`,
          [`become ${other}`]: `SET ROLE ${other}`,
          [`become ${other}_owner`]: `SET ROLE ${other}_owner`,
        };
        expect(await session.tryAll(tried)).toEqual(all(Object.keys(tried), 'refused'));
      }
    });

    it('can read its own tables and change their rows, except migrations and existing audit entries, but owns no table', async () => {
      const tried: Record<string, string> = {};
      const expected: Record<string, Verdict> = {};
      const note = (statements: Record<string, string>, of: Verdict): void => {
        Object.assign(tried, statements);
        Object.assign(expected, all(Object.keys(statements), of));
      };
      for (const table of await tablesOf(database, role)) {
        const qualified = `${role}.${table.name}`;
        note(statementsOn(role, table), table.name === 'migrations' ? 'refused' : 'allowed');
        // Rows of the audit trail are append-only. The apps' own tests check which columns can be filled in later.
        if (table.name === 'audit_entry') {
          expected[`update ${qualified}`] = 'refused';
          expected[`delete ${qualified}`] = 'refused';
        }
        note({ [`select ${qualified}`]: `SELECT 1 FROM ${qualified}` }, 'allowed');
        note(
          {
            [`truncate ${qualified}`]: `TRUNCATE ${qualified} CASCADE`,
            [`alter ${qualified}`]: `ALTER TABLE ${qualified} ADD COLUMN more text`,
            [`drop ${qualified}`]: `DROP TABLE ${qualified} CASCADE`,
            [`put a trigger on ${qualified}`]: `CREATE TRIGGER mine AFTER INSERT ON ${qualified}
               EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
          },
          'refused',
        );
      }
      note({ 'create a table': `CREATE TABLE ${role}.mine ()` }, 'refused');
      note({ 'create a schema': 'CREATE SCHEMA mine' }, 'refused');
      note({ 'create a table in public': 'CREATE TABLE public.mine ()' }, 'refused');
      note({ 'become bus_owner': 'SET ROLE bus_owner' }, 'refused');
      // postback-dispatcher creates and drops the time partitions of its tables.
      note({ 'become the owner': `SET ROLE ${role}_owner` }, verdict(role === 'postback'));
      expect(await session.tryAll(tried)).toEqual(expected);
    });

    it('can remove from the bus only events past the retention, which the owner has set', async () => {
      await database.query(
        `INSERT INTO bus.event_log (topic, "partition", "offset", key, headers, value, appended_at)
         SELECT 'payment.received', 0, n, 'key', '{}', '', now() - n * interval '1 day' FROM generate_series(5, 9) AS n
         ON CONFLICT DO NOTHING`,
      );
      expect((await session.client.query('SELECT bus.prune() AS more')).rows).toEqual([{ more: false }]);
      const left = await database.query('SELECT "offset"::integer FROM bus.event_log ORDER BY "offset"');
      expect(left).toEqual([{ offset: 5 }, { offset: 6 }]);
    });
  });

  it('has no objects that belong to a role with a login, and no owner that can log in', async () => {
    const roles = APPS.map(({ role }) => role as string);
    expect(
      await database.query(
        `SELECT c.oid::regclass::text AS name, rolname AS owner FROM pg_class c JOIN pg_roles r ON r.oid = relowner
         WHERE rolname = ANY ($1) UNION ALL SELECT nspname, rolname FROM pg_namespace n JOIN pg_roles r ON r.oid = nspowner
         WHERE rolname = ANY ($1)`,
        [[...roles, 'bus']],
      ),
    ).toEqual([]);
    const owners = [...roles, 'bus'].map((name) => `${name}_owner`).sort();
    expect(
      await database.query(
        'SELECT rolname FROM pg_roles WHERE rolname = ANY ($1) AND NOT (rolcanlogin OR rolsuper) ORDER BY rolname',
        [owners],
      ),
    ).toEqual(owners.map((rolname) => ({ rolname })));
  });

  it('pins the search path of each function of the bus, and lets PUBLIC call none of them', async () => {
    const functions = await database.query<{ name: string; definer: boolean; config: string[]; open: boolean }>(
      `SELECT proname AS name, prosecdef AS definer, proconfig AS config, has_function_privilege('pg_monitor', oid, 'EXECUTE') AS open
       FROM pg_proc WHERE pronamespace = 'bus'::regnamespace ORDER BY proname`,
    );
    expect(functions).toHaveLength(13);
    for (const { name, definer, config, open } of functions)
      expect({ name, definer, config, open }).toEqual({
        name,
        definer: name !== 'authorize_group',
        config: expect.arrayContaining(['search_path=bus, pg_temp']),
        open: false,
      });
  });
});
