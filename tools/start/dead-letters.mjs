/** `npm run dead-letters`: events that could not be handled, and their replay. */
import './node-version.mjs';

const { parseArgs } = await import('node:util');
const { appsIn } = await import('./dead-letter-store.mjs');
const { packageOf } = await import('./install.mjs');
const { readStack } = await import('./stack-file.mjs');
const { APPS } = await import('../../apps/apps.js');

const USAGE = `npm run dead-letters -- list   [--app NAME] [--topic NAME] [--key KEY] [--all] [--json]
npm run dead-letters -- replay --app NAME (--id ID … | --topic NAME)

Events that an app could not handle are kept as dead letters, with the reason. A replay is carried out by the running app within
seconds, through the same inbox: an event that was handled after all is not handled twice.

  --app NAME     ${APPS.map(({ name }) => name).join(', ')}
  --topic NAME   only this topic
  --key KEY      only of this key: the oid of a payment or sale, the KRN of a user
  --id ID        a dead letter's id, as the list shows it; may be given more than once
  --all          also those that were replayed
  --url URL      the Postgres URL of the database (a superuser's); else of the stack that runs here
`;

class UsageError extends Error {}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        app: { type: 'string' },
        topic: { type: 'string' },
        key: { type: 'string' },
        id: { type: 'string', multiple: true, default: [] },
        all: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        url: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    return { command: values.help ? 'help' : positionals[0], ...values };
  } catch (error) {
    throw new UsageError(error.message);
  }
}

function chosenApps(app) {
  const chosen = APPS.filter(({ name }) => app === undefined || name === app);
  if (chosen.length === 0) throw new UsageError(`there is no app "${app}"`);
  return chosen;
}

/** Works in an app's schema, as its role. */
async function inSchemaOf({ role }, url, work) {
  const { Client } = await packageOf('pg');
  const client = new Client({ connectionString: url, application_name: 'dead-letters' });
  await client.connect();
  try {
    await client.query(`set role ${role}`);
    return await work(client);
  } finally {
    await client.end();
  }
}

async function list(url, { app, topic, key, all, json }) {
  const { listDeadLetters } = await packageOf('@tandem/messaging');
  const found = [];
  for (const one of app === undefined ? await appsIn(url) : chosenApps(app)) {
    let cursor;
    do {
      const page = await inSchemaOf(one, url, (client) =>
        listDeadLetters(client, { topic, key, replayed: all, limit: 1000, cursor }),
      );
      found.push(...page.items.map((letter) => ({ app: one.name, ...letter })));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
  }
  if (json) return JSON.stringify(found, null, 2);
  if (found.length === 0) return 'No dead letters.';
  return found
    .map(({ app: name, id, topic: of, key, attempts, failedAt, reason, replayRequestedAt, replayedAt }) => {
      const state = replayedAt ? ', replayed' : replayRequestedAt ? ', replay asked for' : '';
      return `${name} ${id}  ${of} ${key ?? '–'}  ${failedAt.toISOString()}  ${attempts} attempts${state}\n    ${reason}`;
    })
    .join('\n');
}

async function replay(url, { app, topic, id }) {
  if (app === undefined) throw new UsageError('replay needs --app');
  if (id.length > 0 === (topic !== undefined)) throw new UsageError('replay needs either --id or --topic');
  const wrong = id.find((text) => !/^\d{1,18}$/.test(text));
  if (wrong !== undefined) throw new UsageError(`"${wrong}" is not the id of a dead letter`);
  const [one] = chosenApps(app);
  const { requestReplay } = await packageOf('@tandem/messaging');
  const count = await inSchemaOf(one, url, (client) => requestReplay(client, id.length > 0 ? { ids: id } : { topic }));
  if (count === 0) throw new Error('no dead letter matches, or it was replayed already');
  return `${count} ${count === 1 ? 'replay' : 'replays'} asked for; see how it went with: npm run dead-letters -- list --app ${app} --all`;
}

try {
  const options = readOptions();
  const url = () => options.url ?? process.env.DATABASE_URL ?? readStack().postgres.url;
  if (options.command === 'help') console.log(USAGE);
  else if (options.command === 'list') console.log(await list(url(), options));
  else if (options.command === 'replay') console.log(await replay(url(), options));
  else
    throw new UsageError(
      options.command ? `there is no command "${options.command}"` : 'name a command: list or replay',
    );
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
