/** `npm run ingest`: webhooks that came in, and their replay. */
import './node-version.mjs';

const os = await import('node:os');
const { parseArgs } = await import('node:util');
const { describeRefusal } = await import('./http.mjs');
const { FILTERS, findIds, listWebhooks, replayWebhooks, showWebhook } = await import('./ingest-commands.mjs');
const { internalApp, TargetError } = await import('./internal-app.mjs');
const { show, table } = await import('./table.mjs');

const USAGE = `npm run ingest -- list    [filters] [--limit N] [--cursor CURSOR] [--json]
npm run ingest -- show    ID [--whole --reason TEXT] [--json]
npm run ingest -- replay  ID … --reason TEXT
npm run ingest -- replay  filters --reason TEXT [--yes]

Shows what webhook-ingest has stored, newest first, and publishes it again: under the same event ids, so that a consumer that has
handled an event skips it. A webhook that was ignored because its type was not understood is published if it is understood now.

  --integration NAME  payments or array
  --type TYPE         such as subscription.purchased or alerts/push/push
  --outcome OUTCOME   accepted or ignored
  --since, --until    times, ISO 8601 with a zone; without --since the last 7 days
  --oid OID           of this subscription
  --user ID           of this KRN (payments) or arrayUserId (array; npm run user -- why KRN shows it)
  --whole             personal data is not masked; who asked and why is logged
  --reason TEXT       why; it is logged beside your name (--operator, else the user of this machine)
  --yes               replays what the filters find; without it only their number is shown

Asks the stack that npm start runs here. For another one: WEBHOOK_INGEST_URL (webhook-ingest's own address) and
OPERATOR_PRIVATE_KEY, whose public half the apps have.
`;

const OPTIONS = /** @type {const} */ ({
  ...FILTERS,
  limit: { type: 'string' },
  cursor: { type: 'string' },
  operator: { type: 'string' },
  reason: { type: 'string' },
  whole: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

class UsageError extends Error {}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
    const [command = 'help', ...ids] = positionals;
    return { command: values.help ? 'help' : command, ids, values };
  } catch (error) {
    throw new UsageError(error.message);
  }
}

async function call(method, path, body) {
  const answer = await internalApp('webhook-ingest').call(method, path, body);
  if (answer.status !== 200) throw new Error(describeRefusal(answer));
  return answer.body;
}

const filterOf = (values) =>
  Object.fromEntries(
    Object.keys(FILTERS).flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );

/** Who asks, and why. @throws UsageError without a reason */
function whyOf({ operator = process.env.USER || os.userInfo().username, reason }) {
  if (!reason) throw new UsageError('give a --reason: it is logged');
  return { operator, reason };
}

async function list(ids, values) {
  if (ids.length > 0) throw new UsageError('list takes filters only');
  const { limit, cursor, json } = values;
  const page = await listWebhooks(call, { ...filterOf(values), limit, cursor });
  if (json) return JSON.stringify(page, null, 2);
  if (page.items.length === 0) return 'No webhooks.';
  const rows = page.items.map(({ receivedAt, outcome, type, oid, user, id }) => ({
    receivedAt,
    outcome,
    type,
    oid,
    user,
    id,
  }));
  const text = table(rows, process.stdout.columns ?? (Number(process.env.COLUMNS) || undefined));
  return page.nextCursor === null ? text : `${text}\nmore: --cursor ${page.nextCursor}`;
}

async function showOne([id, ...others], values) {
  if (id === undefined || others.length > 0) throw new UsageError('show takes one ID');
  const { body, events, ...facts } = await showWebhook(call, id, values.whole ? whyOf(values) : null);
  if (values.json) return JSON.stringify({ ...facts, events, body }, null, 2);
  const lines = Object.entries(facts).map(([name, value]) => `${name.padEnd(12)} ${show(value)}`);
  const published = events.map(({ topic, eventId }) => `${'event'.padEnd(12)} ${topic} ${eventId}`);
  return [
    ...lines,
    ...published,
    body === null ? 'The body cannot be decrypted with the keys of today.' : JSON.stringify(body, null, 2),
  ].join('\n');
}

async function replay(ids, values) {
  const why = whyOf(values);
  const filter = filterOf(values);
  const isFiltered = Object.keys(filter).length > 0;
  if (ids.length > 0 === isFiltered) throw new UsageError('replay needs either IDs or filters');
  const chosen = isFiltered ? await findIds(call, filter) : ids;
  if (isFiltered && !values.yes) return `${chosen.length} webhooks match: add --yes to publish them again`;
  const items = await replayWebhooks(call, chosen, why);
  const failed = items.filter(({ outcome }) => outcome !== 'published');
  if (failed.length > 0) process.exitCode = 1;
  if (values.json) return JSON.stringify(items, null, 2);
  return [
    `${items.length - failed.length} of ${chosen.length} published again`,
    ...failed.map(({ id, outcome }) => `${outcome.replace('_', ' ').padEnd(11)} ${id}`),
  ].join('\n');
}

const COMMANDS = { list, show: showOne, replay, help: () => USAGE };

try {
  const { command, ids, values } = readOptions();
  const work = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (!work) throw new UsageError(`there is no command "${command}"`);
  console.log(await work(ids, values));
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof TargetError;
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = isUsage ? 2 : 1;
}
