/** `npm run user`: what the person on call asks of a user of identity protection. */
import './node-version.mjs';

const { parseArgs } = await import('node:util');
const { describeRefusal } = await import('./http.mjs');
const { internalApp, TargetError } = await import('./internal-app.mjs');
const { userWhy } = await import('./user-why.mjs');

const USAGE = `npm run user -- why KRN  [--json]

Tells why a user is locked, is not enrolled, or sees no alerts: subscriptions, profile, verification, enrollments, what the vendor
says now, and what to do next. It shows no personal data.

Asks the stack that npm start runs here. For another one: IDP_API_URL (idp-api's own address) and OPERATOR_PRIVATE_KEY, whose public
half the apps have; DATABASE_URL (a superuser's) for the dead letters.
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

async function main() {
  const options = readOptions();
  if (options === null) return USAGE;
  const idpApi = internalApp('idp-api');
  const { url, databaseUrl } = idpApi;
  const get = async (path) => {
    const answer = await idpApi.call('GET', path);
    if (answer.status === 404) throw new UsageError(`"${options.krn}" is no KRN of a user`);
    if (answer.status !== 200) throw new Error(describeRefusal(answer));
    return answer.body;
  };
  return userWhy(options.krn, { get, url, databaseUrl, json: options.json === true });
}

try {
  console.log(await main());
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof TargetError;
  console.error(isUsage ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = isUsage ? 2 : 1;
}
