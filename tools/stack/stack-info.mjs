/** `npm run stack:info` writes stack.json for a stack that docker compose runs, so that the other commands can use that stack. */
import './node-version.mjs';

const { createRequire } = await import('node:module');
const { parseArgs } = await import('node:util');
const { APPS } = await import('../../apps/apps.js');
const { step, report } = await import('./console.mjs');
const { databaseUrl } = await import('./environment.mjs');
const { seedUsers } = await import('./demo-users.mjs');
const { build, ensureInstalled } = await import('./install.mjs');
const { claimStack, releaseClaim } = await import('./instance.mjs');
const { inRoot, shownStackFile, STACK_FILE } = await import('./paths.mjs');
const { Runner } = await import('./runner.mjs');
const { readSecrets } = await import('./secrets.mjs');
const { seed } = await import('./seed.mjs');
const { requestJson } = await import('./http.mjs');
const { configurePostback, describeStack, writeStack } = await import('./stack-file.mjs');

const USAGE = `npm run stack:info

Seeds demo partners, vouchers, locations and users in the stack that docker compose runs on this machine, and writes
.tandem/stack.json: URLs and tokens, for npm run demo and the other commands. The command can be repeated: existing data stays,
and the tokens are issued again (their second factor is valid for an hour).

Ports and secrets are read from docker-compose.yml, where variables of .env or the shell override the defaults. A stack
elsewhere, such as in Kubernetes, is described in the same way when its ports are forwarded to this machine:

  STACK_ENDPOINTS_URL   the URL at which the stack reaches the sandbox's inbox (http://sandbox:4100/inbox;
                        in Kubernetes with the full host name: http://sandbox.tandem-local.svc.cluster.local:4100/inbox)
  --help
`;

/** Returns the description of the stack in docker-compose.yml: ports, brokers, secrets and the databases of the apps. */
function composeStack() {
  const { publishedPort, readCompose } = createRequire(import.meta.url)(inRoot('tools/deployment/dist/index.js'));
  const { services, 'x-operator': operator } = readCompose(inRoot('docker-compose.yml'), process.env);
  const portOf = (name) => publishedPort(name, services[name]);
  const { environment: ingest } = services['webhook-ingest'];
  const [webhookSecret, previousWebhookSecret] = ingest.PAYMENTS_WEBHOOK_SECRETS.split(',');
  const [arrayWebhookSecret, previousArrayWebhookSecret] = ingest.ARRAY_WEBHOOK_SECRETS.split(',');
  const superuserUrl = `postgres://postgres:${encodeURIComponent(services.postgres.environment.POSTGRES_PASSWORD)}@127.0.0.1:${portOf('postgres')}/postgres`;
  const password = (name) => decodeURIComponent(new URL(services[name].environment.DATABASE_URL).password);
  const databases = APPS.map(({ name, role }) => [
    name,
    { DATABASE_URL: databaseUrl(superuserUrl, role, password(name)) },
  ]);
  return {
    superuserUrl,
    ports: Object.fromEntries(APPS.map(({ name }) => [name, portOf(name)])),
    kafkaBrokers: `127.0.0.1:${portOf('kafka')}`,
    environment: {
      baseUrl: `http://127.0.0.1:${portOf('edge')}`,
      sandboxUrl: services.sandbox.environment.SANDBOX_URL,
      endpointsUrl: process.env.STACK_ENDPOINTS_URL || 'http://sandbox:4100/inbox',
      webhookSecret,
      previousWebhookSecret,
      arrayWebhookSecret,
      previousArrayWebhookSecret,
      vendorAppKey: ingest.VENDOR_APP_KEY,
      operatorPrivateKey: operator.privateKey,
      apps: Object.fromEntries(databases),
    },
  };
}

/**
 * Checks, before anything is written, that the database accepts the role of each app, and that the apps, the edge and the sandbox run.
 *
 * @throws an error that lists all parts of the stack that do not answer, and how to start the stack
 */
async function requireStack({ environment, ports }) {
  const addresses = {
    edge: environment.baseUrl,
    sandbox: environment.sandboxUrl,
    ...Object.fromEntries(APPS.map(({ name }) => [name, `http://127.0.0.1:${ports[name]}`])),
  };
  const faults = await Promise.all([
    ...APPS.map(({ name }) => refusalOfPostgres(environment.apps[name].DATABASE_URL)),
    ...Object.entries(addresses).map(([name, url]) => refusalOf(name, url)),
  ]);
  // If Postgres does not answer, the fault is the same for each role.
  const found = [...new Set(faults.filter((fault) => fault !== undefined))];
  if (found.length === 0) return;
  throw new Error(
    `The stack of docker compose does not run completely:\n  ${found.join('\n  ')}\n` +
      'Start it, and wait until it is ready, with: docker compose up -d --wait\n' +
      'What runs is shown by: docker compose ps. For a stack of npm start, this command is not needed.',
  );
}

/** @returns {Promise<string | undefined>} why a program of the stack cannot be used */
async function refusalOf(name, url) {
  try {
    const { status } = await requestJson('GET', `${url}/livez`);
    return status === 200 ? undefined : `${name} answers ${url}/livez with ${status}: another program may use the port`;
  } catch (error) {
    const { code, message } = error.cause?.cause ?? error.cause ?? error;
    return `${name} does not answer at ${url}: ${code ?? message}`;
  }
}

/** @returns {Promise<string | undefined>} why the database at a URL cannot be used */
async function refusalOfPostgres(url) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  const { host, username } = new URL(url);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    // The roles are created by the migrations, which run before the apps. An unknown role and a wrong password get the same error.
    if (error.code === '28P01')
      return `Postgres at ${host} refuses the role ${username}: its migration has not run, its password is not the one in docker-compose.yml, or this is another Postgres (POSTGRES_PORT selects the port)`;
    // Postgres itself refuses a connection with an error that has a severity.
    return error.severity
      ? `Postgres at ${host} refuses a connection: ${error.message}`
      : `Postgres does not answer at ${host}: ${error.code ?? error.message}`;
  } finally {
    await client.end();
  }
}

async function main() {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) return console.log(USAGE);
  claimStack(
    (runner) =>
      `npm start runs here (process ${runner}) and describes its stack in ${STACK_FILE} itself: the other commands use it.\n` +
      `To describe the stack of docker compose instead, stop npm start with Ctrl-C or: kill ${runner}`,
  );
  try {
    ensureInstalled();
    const runner = new Runner();
    await step('build', () => build(runner));
    const { environment, ...rest } = composeStack();
    const running = APPS.map(({ name }) => name);
    const before = { environment, bus: 'kafka', running, ...rest };
    await step('running', () => requireStack(before));
    await step('seed', () => seed(runner, environment.apps));
    const stack = await step('ready', () => describeStack(before));
    await step('postbacks to the inbox', () => configurePostback(stack, readSecrets().inboxKey));
    await step('identity users', () => seedUsers(stack));
    writeStack(stack);
    report(`The stack at ${stack.baseUrl} is described in ${shownStackFile()}. The whole story: npm run demo.`);
  } finally {
    releaseClaim();
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);
