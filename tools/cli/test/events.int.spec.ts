import { createTestDatabase, type TestDatabase } from '@tandem/testing';
import { type Outcome, runCli } from './cli';

interface Group {
  readonly group: string;
  readonly unread: number;
}

describe('tandem events, in a database with the Postgres bus', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ template: 'empty', prepare: () => Promise.resolve() });
    // Creates only the parts of the bus that the commands use. The real tables are tested in libs/event-bus.
    await database.query(`
      create schema if not exists bus;
      create table bus.group_cursor (group_name text);
      create table bus.running (group_name text);
      insert into bus.group_cursor values ('gone'), ('running');
      insert into bus.running values ('running');
      create view bus.group_lag as select group_name, 'sale.completed' as topic, 3::bigint as events, now() as oldest_at,
        (select count(*)::int from bus.running r where r.group_name = c.group_name) as members from bus.group_cursor c`);
  });
  afterAll(() => database.drop());

  const run = (...args: string[]): Promise<Outcome> =>
    runCli(['events', ...args], { DATABASE_URL: database.superuserUrl });
  const groups = async (): Promise<Group[]> => JSON.parse((await run('groups', '--json')).out) as Group[];

  it('lists groups, and abandons a group only if no process reads for it', async () => {
    expect((await groups()).map(({ group, unread }) => [group, unread])).toEqual([
      ['gone', 3],
      ['running', 3],
    ]);
    expect((await run('groups')).out).toMatch(/gone +sale\.completed +3/);
    expect(await run('abandon', 'running')).toMatchObject({ code: 1, err: expect.stringContaining('stop it first') });
    expect((await run('abandon', 'gone')).out).toBe('gone is abandoned.\n');
    expect((await groups()).map(({ group }) => group)).toEqual(['running']);
    expect((await run('abandon', 'gone')).err).toContain('there is no group "gone"');
  });
});
