/** `npm run events`: the consumer groups of the Postgres bus. */
import './node-version.mjs';

const { parseArgs } = await import('node:util');
const { packageOf } = await import('./install.mjs');
const { readStack } = await import('./stack-file.mjs');
const { table } = await import('./table.mjs');

const USAGE = `npm run events -- groups [--json]
npm run events -- abandon GROUP

The Postgres bus keeps an event for 7 days, and until every consumer group of its topic has read it. groups lists how far each
group is. abandon forgets the position of a group that will not come back, so that what only this group had not read is removed.
Abandoned by mistake, a group that joins again begins with the oldest event there is; its inbox skips those that it has handled.

  --json       as JSON
  --url URL    the Postgres URL of the database (a superuser's); else of the stack that runs here
`;

class UsageError extends Error {}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, url: { type: 'string' }, help: { type: 'boolean' } },
    });
    const [command, group, ...others] = positionals;
    if (others.length > 0) throw new Error(`"${others[0]}" is one argument too many`);
    return { command: values.help ? 'help' : command, group, ...values };
  } catch (error) {
    throw new UsageError(error.message);
  }
}

async function inDatabase(url, work) {
  const { Client } = await packageOf('pg');
  const client = new Client({ connectionString: url, application_name: 'events' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const listGroups = (url, json) =>
  inDatabase(url, async (client) => {
    const { rows } = await client.query(
      `select group_name as "group", topic, events::float8 as "unread", oldest_at as "oldestAt", members
       from bus.group_lag order by group_name, topic`,
    );
    if (json) return JSON.stringify(rows, null, 2);
    if (rows.length === 0) return 'No group has read from the Postgres bus of this database.';
    const shown = rows.map((row) => ({ ...row, oldestAt: row.oldestAt?.toISOString() ?? null }));
    return table(shown, process.stdout.columns);
  });

const abandon = (url, group) =>
  inDatabase(url, async (client) => {
    if (group === undefined) throw new UsageError('abandon needs the name of a group');
    const { rows } = await client.query('select members from bus.group_lag where group_name = $1', [group]);
    if (rows.length === 0) throw new Error(`there is no group "${group}"`);
    if (rows.some(({ members }) => members > 0))
      throw new Error(`a process reads as the group ${group}: stop it first, or the group comes back at once`);
    await client.query('delete from bus.group_cursor where group_name = $1', [group]);
    return `${group} is abandoned.`;
  });

try {
  const options = readOptions();
  const url = () => options.url ?? process.env.DATABASE_URL ?? readStack().postgres.url;
  if (options.command === 'help') console.log(USAGE);
  else if (options.command === 'groups') console.log(await listGroups(url(), options.json));
  else if (options.command === 'abandon') console.log(await abandon(url(), options.group));
  else
    throw new UsageError(
      options.command ? `there is no command "${options.command}"` : 'name a command: groups or abandon',
    );
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
