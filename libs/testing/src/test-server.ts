import type { Client } from 'pg';

/** A role that marks a test server: tests have created everything else on the server. */
const MARK = 'tandem_tests';

/** The name of the platform's database. A server with this database is refused, because tests change the roles of its apps. */
const PLATFORM = 'tandem';

/** Returns the test server's superuser URL. @throws when the environment has none */
export function testServerUrl(): string {
  const url = process.env['DATABASE_URL'];
  if (!url) throw new Error('DATABASE_URL is not set: the globalSetup of jest.config.js starts a PostgreSQL for tests');
  return url;
}

/**
 * Marks an empty server as a test server, and accepts a server that is marked already. The mark is needed because roles
 * belong to a whole server: a test that migrates its own database sets the passwords of the apps' roles for all
 * databases.
 *
 * @param client a superuser's client that holds a lock, so that nobody else can claim the server at the same time
 * @throws for an unmarked server that has other roles or databases, and for any server with the platform's database. In
 *   these cases, nothing on the server was changed
 */
export async function claimTestServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ marked: boolean; databases: string[]; roles: string[] }>(
    `select exists (select from pg_roles where rolname = $1) as marked,
       array(select 'database ' || datname from pg_database
         where not datistemplate and (datname = $2 or datname not in ('postgres', current_user, current_database()))
         order by 1) as databases,
       -- 10 is the oid of the superuser that initdb creates.
       array(select 'role ' || rolname from pg_roles
         where oid <> 10 and not starts_with(rolname, 'pg_') and rolname <> current_user order by 1) as roles`,
    [MARK, PLATFORM],
  );
  const { marked = false, databases = [], roles = [] } = rows[0] ?? {};
  const platform = `database ${PLATFORM}`;
  const foreign = marked ? databases.filter((name) => name === platform) : [...databases, ...roles];
  if (foreign.length > 0)
    throw new Error(
      `DATABASE_URL names a PostgreSQL server that is not one for tests (${foreign.join(', ')}). Tests set the passwords ` +
        'of roles, so a running stack could no longer log in. Run `npm test -- <path>` without DATABASE_URL, which starts a ' +
        'server for the tests, or give the URL of an empty server that may be thrown away.',
    );
  if (!marked) await client.query(`create role ${MARK} nologin`);
}
