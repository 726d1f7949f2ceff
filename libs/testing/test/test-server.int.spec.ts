import { createTestDatabase, startPostgresServer, TEST_ROLE_PASSWORD } from '../src';
import { Client } from 'pg';

const ROLES = ['partner', 'voucher'];

async function query(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query<Record<string, unknown>>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Gives roles a password, as a migration does. */
const setPasswords = (url: string, password: string) =>
  query(
    url,
    ...ROLES.map(
      (role) => `do $$ begin
          if to_regrole('${role}') is null then create role ${role} login; end if;
          alter role ${role} password '${password}';
        end $$`,
    ),
  );

const passwordsOf = (url: string) =>
  query(url, `select rolname, rolpassword from pg_authid where rolname !~ '^pg_' order by rolname`);

describe('the test server', () => {
  const ownServer = process.env['DATABASE_URL'];
  let postgres: Awaited<ReturnType<typeof startPostgresServer>>;
  const prepare = async (url: string) => void (await setPasswords(url, TEST_ROLE_PASSWORD));
  const create = () => createTestDatabase({ template: 'test-server', prepare });

  beforeEach(async () => {
    postgres = await startPostgresServer();
    process.env['DATABASE_URL'] = postgres.url;
  });
  afterEach(async () => {
    process.env['DATABASE_URL'] = ownServer;
    await postgres.stop();
  });

  it('is refused when it has roles that tests did not create: the error names the remedy, and no password is changed', async () => {
    await setPasswords(postgres.url, 'of-a-running-stack');
    const before = await passwordsOf(postgres.url);
    await expect(create()).rejects.toThrow(
      /DATABASE_URL names .*\(role partner, role voucher\)[^]*`npm test -- <path>` without DATABASE_URL[^]*empty/,
    );
    expect(await passwordsOf(postgres.url)).toEqual(before);
  });

  it('is refused when it has a database that tests did not create', async () => {
    await query(postgres.url, 'create database inventory');
    await expect(create()).rejects.toThrow(/\(database inventory\)/);
  });

  it('can be used again if it was empty at first, but is refused when the platform is installed on it', async () => {
    for (const database of [await create(), await create()]) {
      const rows = await query(database.urlFor('partner'), 'select current_user as role');
      expect(rows).toEqual([{ role: 'partner' }]);
      await database.drop();
    }
    await query(postgres.url, 'create database tandem');
    await setPasswords(postgres.url, 'of-a-running-stack');
    const before = await passwordsOf(postgres.url);
    await expect(create()).rejects.toThrow(/\(database tandem\)/);
    expect(await passwordsOf(postgres.url)).toEqual(before);
  });
});
