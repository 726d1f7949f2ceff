/** `npm run support`: who of support did what with whom. */
import './node-version.mjs';

const { parseArgs } = await import('node:util');
const { describeRefusal } = await import('./http.mjs');
const { internalApp, TargetError } = await import('./internal-app.mjs');
const { table } = await import('./table.mjs');

const USAGE = `npm run support -- audit [--user KRN] [--actor SUB] [--limit N] [--cursor CURSOR] [--json]

Lists what support did with a user, or what one of support did with anybody, newest first: when, who, what, to whom, what came of
it, why, and in which request. An outcome "started" means that idp-support died during it: it may have been done or not.

  --user KRN       about this user
  --actor SUB      by the subject of this token
  --limit N        entries of a page, 1 to 500 (50)
  --cursor CURSOR  the page after another one, which named it

Asks the stack that npm start runs here. For another one: IDP_SUPPORT_URL (idp-support's own address) and OPERATOR_PRIVATE_KEY, whose
public half the apps have.
`;

class UsageError extends Error {}

function readOptions() {
  try {
    const text = /** @type {const} */ ({ type: 'string' });
    const flag = /** @type {const} */ ({ type: 'boolean' });
    const options = { user: text, actor: text, limit: text, cursor: text, json: flag, help: flag };
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    if (values.help) return null;
    if (positionals.join(' ') !== 'audit') throw new Error('give a command: audit');
    return values;
  } catch (error) {
    throw new UsageError(error.message);
  }
}

const rowOf = ({ startedAt, actor, action, krn, outcome, error, details, reason, requestId }) => ({
  at: startedAt,
  actor,
  action,
  user: krn,
  outcome: error === null ? outcome : `${outcome}: ${error}`,
  details,
  reason,
  request: requestId,
});

async function main() {
  const options = readOptions();
  if (options === null) return USAGE;
  const { user: krn, actor, limit, cursor, json } = options;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ krn, actor, limit, cursor })) if (value) query.set(name, String(value));
  const { status, body } = await internalApp('idp-support').call('GET', `/internal/audit?${query}`);
  if (status === 400) throw new UsageError(body.error);
  if (status !== 200) throw new Error(describeRefusal({ status, body }));
  if (json) return JSON.stringify(body, null, 2);
  if (body.items.length === 0) return 'no entries';
  const more = body.hasMore ? `\n\nmore: --cursor ${body.nextCursor}` : '';
  return `${table(body.items.map(rowOf), process.stdout.columns)}${more}`;
}

try {
  console.log(await main());
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof TargetError;
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = isUsage ? 2 : 1;
}
