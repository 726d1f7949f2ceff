import { parseArgs } from 'node:util';
import { bold, dim, LogBook, step, tell } from './console.mjs';
import { environmentOf } from './environment.mjs';
import { build, built, install, isInstalled } from './install.mjs';
import { claimStack, endLeftovers, releaseStack } from './instance.mjs';
import { inHome, inRoot, KAFKA_CACHE, PIDS_FILE, SEED_FILE, VOUCHER_SEED_FILE, writePrivately } from './paths.mjs';
import { claimPorts } from './ports.mjs';
import { Runner } from './runner.mjs';
import { readSecrets } from './secrets.mjs';
import { configurePostback, describeStack, writeStack } from './stack-file.mjs';
import { APPS } from './topology.mjs';

const USAGE = `npm start [-- options]

Installs and builds what is needed, starts Postgres, the apps, the edge and the sandbox, and stays up until Ctrl-C.
The data is kept in .tandem; a later start goes on with it.

  --bus NAME    postgres (default) or kafka: KAFKA_BROKERS, else a broker of its own (Java 17 and, the first time, mvn)
  --restart     never gives up a program that crashes; by default after 5 crashes in 30 s
  --verbose     shows every log line; they are always in .tandem/logs
  --help

Ports, each changed by its variable (0 takes a free one): EDGE_PORT 8080, SANDBOX_PORT 4100, PARTNER_GATEWAY_PORT 4101,
WEBHOOK_INGEST_PORT 4102, POSTBACK_DISPATCHER_PORT 4103, VOUCHER_SERVICE_PORT 4104, TANDEM_POSTGRES_PORT 54320,
TANDEM_KAFKA_PORT 19092.
TANDEM_POSTGRES_URL uses a Postgres of your own (a superuser's URL). Every other variable reaches the apps:
POSTBACK_RETRY_SCHEDULE_SECONDS=0,1,2 npm start. All are in .env.example; a file .env is read.
`;

/** @returns {Promise<number>} the exit code, when everything has ended */
export async function main(argv) {
  const options = readOptions(argv);
  if (typeof options === 'number') return options;
  try {
    claimStack();
  } catch (error) {
    console.error(error.message);
    return 1;
  }
  const logs = new LogBook(options.verbose);
  const runner = new Runner({
    onLine: (name, line) => logs.add(name, line),
    tell: (text) => tell(`  ! ${text}`),
    onChange: () => writePids(runner),
    restart: options.restart ? 'always' : 'limited',
  });
  // Started by another program, such as the chaos run: the stack must not outlive it, however it ended.
  process.once('disconnect', () => runner.stop(0));
  try {
    await start(runner, options);
  } catch (error) {
    if (!runner.stopping) explain(error, logs);
    void runner.stop(1);
  }
  const code = await runner.done;
  releaseStack();
  // The channel to the program that started this one would keep the process alive.
  if (process.connected) process.disconnect();
  tell(code === 0 ? 'Stopped.' : 'Stopped after a failure.');
  return code;
}

function readOptions(argv) {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        bus: { type: 'string', default: process.env.EVENT_BUS || 'postgres' },
        restart: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return (console.log(USAGE), 0);
    if (values.bus !== 'kafka' && values.bus !== 'postgres') {
      throw new Error(`--bus must be kafka or postgres, not "${values.bus}"`);
    }
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
}

async function start(runner, { bus }) {
  const began = Date.now();
  tell(bold(`Tandem on ${bus === 'kafka' ? 'Kafka' : 'the Postgres bus'}`));
  await endLeftovers((line) => tell(`  ! ${line}`));
  const ownPostgres = process.env.TANDEM_POSTGRES_URL;
  const ownKafka = bus === 'kafka' ? process.env.KAFKA_BROKERS : undefined;
  const ports = await claimPorts([
    'edge',
    ...(ownPostgres ? [] : ['postgres']),
    ...(bus === 'kafka' && !ownKafka ? ['kafka'] : []),
    'sandbox',
    ...APPS.map(({ name }) => name),
  ]);
  if (!isInstalled()) {
    tell('  … installing what package-lock.json lists: about half a minute');
    await step('install (npm ci)', () => install(runner));
  }
  await step('build', () => build(runner));

  const secrets = readSecrets();
  const [superuserUrl, kafkaBrokers] = await startServers(runner, { bus, ports, ownPostgres, ownKafka });
  const environment = environmentOf({ bus, ports, secrets, superuserUrl, kafkaBrokers });
  const node = (file, env) => runner.task(process.execPath, [file], { env });
  await step('migrate', async () => (await node(inRoot('tools/start/migrate.mjs'), environment.migrate)).trim());
  await step('seed', () => seed(runner, environment));
  await startPrograms(runner, environment);
  const stack = await step('ready', () => describeStack({ environment, ports, bus, superuserUrl, kafkaBrokers }));
  await step('postbacks to the inbox', () => configurePostback(stack, secrets.inboxKey));
  writeStack(stack);
  welcome(stack, Date.now() - began);
}

/** The partners first: the voucher groups belong to them. */
async function seed(runner, { apps }) {
  const run = (app, args) =>
    runner.task(process.execPath, [built('apps', app, 'dist/seed.js'), ...args], { env: apps[app] });
  await run('partner-gateway', ['--file', SEED_FILE]);
  await run('voucher-service', ['--partners', SEED_FILE, '--file', VOUCHER_SEED_FILE]);
}

/** Postgres, and the broker when it is needed, side by side. */
async function startServers(runner, { bus, ports, ownPostgres, ownKafka }) {
  const programs = [];
  if (!ownPostgres) {
    const args = [inHome('postgres'), String(ports.postgres)];
    programs.push({ name: 'postgres', file: inRoot('tools/postgres/postgres.mjs'), args });
  }
  if (bus === 'kafka' && !ownKafka) {
    const args = ['--data', inHome('kafka'), '--cache', KAFKA_CACHE, '--port', String(ports.kafka)];
    programs.push({ name: 'kafka', file: inRoot('tools/kafka/kafka.mjs'), args });
  }
  if (programs.length === 0) return [ownPostgres, ownKafka];
  const messages = await step(`start ${programs.map(({ name }) => name).join(', ')}`, () => runner.start(...programs));
  const message = (name) => messages[programs.findIndex((program) => program.name === name)];
  return [message('postgres')?.url ?? ownPostgres, message('kafka')?.brokers ?? ownKafka];
}

async function startPrograms(runner, environment) {
  const sandbox = { name: 'sandbox', file: built('tools/sandbox/dist/main.js'), env: environment.sandbox };
  const apps = APPS.map(({ name }) => ({
    name,
    file: built('apps', name, 'dist/main.js'),
    env: environment.apps[name],
  }));
  await step(`start ${apps.length} apps, sandbox`, () => runner.start(sandbox, ...apps));
  await step('start edge', () =>
    runner.start({ name: 'edge', file: built('tools/edge/dist/main.js'), env: environment.edge }),
  );
}

/** Who runs as what, for tools that look at or kill single processes. */
function writePids(runner) {
  const processes = Object.fromEntries(runner.processes.map(({ name, ...state }) => [name, state]));
  writePrivately(PIDS_FILE, { runner: process.pid, processes });
}

function explain(error, logs) {
  tell();
  console.error(`${bold('Tandem could not start.')}\n${error.message}`);
  const [name] = /^[a-z-]+(?= (?:ended|was not))/.exec(error.message) ?? [];
  if (name)
    console.error(
      logs
        .tail(name)
        .map((line) => dim(`  ${line}`))
        .join('\n'),
    );
}

function welcome(stack, ms) {
  const { promotion, voucher, manager } = stack.partners;
  const line = (name, value) => tell(`  ${name.padEnd(18)} ${value}`);
  tell();
  tell(bold(`Tandem is ready after ${(ms / 1000).toFixed(1)} s.`));
  line('base URL', stack.baseUrl);
  line('partner token', promotion.token);
  line('voucher token', voucher.token);
  line('manager token', `${manager.token.slice(0, 24)}… (whole in .tandem/stack.json)`);
  line('store', `${stack.sandbox.store}/checkout`);
  line('inbox', `${stack.sandbox.inbox}  (postbacks show up here)`);
  line('partner API', `${stack.baseUrl}/docs`);
  line('manager API', stack.apps['partner-gateway'].docs.replace(/docs$/, 'manager-docs'));
  line('all inboxes', `${stack.sandbox.url}/inboxes`);
  tell();
  tell('Try it: ask for a checkout URL, open it, buy, and watch the inbox.');
  tell(
    `  curl -H 'Authorization: Bearer ${promotion.token}' '${stack.baseUrl}/api/v2/partner/subscription/create-checkout-url?ref_id=order-1'`,
  );
  tell('The whole story: npm run demo. Ctrl-C stops everything; the data stays.');
}
