/** `npm run user`: what the person on call asks of a user of identity protection. */
import './node-version.mjs';

const { createRequire } = await import('node:module');
const { parseArgs } = await import('node:util');
const { describeRefusal, requestJson } = await import('./http.mjs');
const { readSecrets } = await import('./secrets.mjs');
const { readStack } = await import('./stack-file.mjs');
const { userWhy } = await import('./user-why.mjs');

const USAGE = `npm run user -- why KRN  [--json]

Tells why a user is locked, is not enrolled, or sees no alerts: subscriptions, profile, verification, enrollments, what the vendor
says now, and what to do next. It shows no personal data.

Asks the stack that npm start runs here. For another one: IDP_API_URL (idp-api's own address) and INTERNAL_TOKEN_SECRETS, as the
apps have it; DATABASE_URL (a superuser's) for the dead letters.
`;

class UsageError extends Error {}

function readOptions() {
  try {
    const options = /** @type {const} */ ({ json: { type: 'boolean' }, help: { type: 'boolean' } });
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    if (values.help) return null;
    const [command, krn, ...rest] = positionals;
    if (command !== 'why' || krn === undefined || rest.length > 0) throw new Error('give a command and a KRN: why KRN');
    return { krn, json: values.json === true };
  } catch (error) {
    throw new UsageError(error.message);
  }
}

/** Where idp-api is, what its callers sign with, and the database that dead letters are looked for in. */
function target() {
  const { IDP_API_URL: url, INTERNAL_TOKEN_SECRETS: secrets, DATABASE_URL = null } = process.env;
  if (url && secrets) return { url: url.replace(/\/+$/, ''), secrets: secrets.split(','), databaseUrl: DATABASE_URL };
  if (url) throw new UsageError('IDP_API_URL needs INTERNAL_TOKEN_SECRETS beside it');
  const stack = readStack();
  return {
    url: stack.apps['idp-api'].url,
    secrets: secrets ? secrets.split(',') : [readSecrets().internalTokenSecret],
    databaseUrl: stack.postgres.url,
  };
}

async function main() {
  const options = readOptions();
  if (options === null) return USAGE;
  const { url, secrets, databaseUrl } = target();
  const { issueServiceToken } = createRequire(import.meta.url)('@tandem/auth');
  const token = await issueServiceToken({
    secrets: secrets.map((secret) => secret.trim()),
    from: 'on-call',
    audience: 'idp-api',
    now: new Date(),
  });
  const get = async (path) => {
    const answer = await requestJson('GET', `${url}${path}`, { token });
    if (answer.status === 404) throw new UsageError(`"${options.krn}" is no KRN of a user`);
    if (answer.status !== 200) throw new Error(describeRefusal(answer));
    return answer.body;
  };
  return userWhy(options.krn, { get, url, databaseUrl, json: options.json === true });
}

try {
  console.log(await main());
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
