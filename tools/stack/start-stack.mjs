import path from 'node:path';
import { bold, dim, LogBook, step, report } from './console.mjs';
import { environmentOf } from './environment.mjs';
import { build, built, fetchKafka, install, isInstalled } from './install.mjs';
import { claimStack, endLeftovers, releaseStack } from './instance.mjs';
import { inHome, inRoot, KAFKA_CACHE, PIDS_FILE, ROOT, writePrivately } from './paths.mjs';
import { readOptions } from './options.mjs';
import { migrate } from './migration.mjs';
import { claimPorts } from './ports.mjs';
import { Runner } from './runner.mjs';
import { readSecrets } from './secrets.mjs';
import { seed } from './seed.mjs';
import { configurePostback, describeConsole, describeStack, writeStack } from './stack-file.mjs';
import { APPS } from '../../apps/apps.js';
import { Watch } from './watch.mjs';
import { welcomeLines } from './welcome.mjs';
import { writeEnvFiles } from './env-file.mjs';
import { SECOND_FACTOR_REFRESH_MS, seedUsers, userTokens } from './demo-users.mjs';

/** Starts a stack, and runs it until it is stopped. @returns {Promise<number>} the exit code, when all programs have ended */
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
    report: (text) => report(`  ! ${text}`),
    onChange: () => writePids(runner),
    restart: options.restart ? 'always' : 'limited',
  });
  // Stops the stack when the program that started it, such as the chaos run, ends in any way.
  process.once('disconnect', () => runner.stop(0));
  // The watch is created before the build, so that it also finds edits that are made while the stack starts.
  const watch = new Watch(runner, options.watched, (text) => report(`  ! ${text}`));
  try {
    await start(runner, options, watch);
    if (options.watched.length > 0) void watch.run().catch((error) => giveUp(runner, error));
  } catch (error) {
    if (!runner.stopping) explain(error, logs);
    void runner.stop(1);
  }
  const code = await runner.done;
  releaseStack();
  // Closes the IPC channel to the program that started this process, because an open channel would keep the process alive.
  if (process.connected) process.disconnect();
  report(code === 0 ? 'Stopped.' : 'Stopped after a failure.');
  return code;
}

async function start(runner, { bus, running, watched, inspect, 'data-of': dataOf = ROOT }, watch) {
  const began = Date.now();
  report(bold(`Tandem on ${bus === 'kafka' ? 'Kafka' : 'the Postgres bus'}`));
  await endLeftovers((line) => report(`  ! ${line}`));
  const ownPostgres = process.env.TANDEM_POSTGRES_URL;
  const ownKafka = bus === 'kafka' ? process.env.KAFKA_BROKERS : undefined;
  const ports = await claimPorts([
    'edge',
    ...(ownPostgres ? [] : ['postgres']),
    ...(bus === 'kafka' && !ownKafka ? ['kafka'] : []),
    'sandbox',
    ...APPS.map(({ name }) => name),
    ...(inspect ? ['debugger'] : []),
  ]);
  if (!isInstalled()) {
    report('  … installing what package-lock.json lists: this can take a few minutes on a slow machine');
    await install(runner);
  }
  // With `npm run dev`, the build also checks types, so that the check after an edit covers only what the edit affects.
  await step('build', () => build(runner, undefined, { checked: watched.length > 0 }));

  const secrets = readSecrets();
  const [superuserUrl, kafkaBrokers] = await startServers(runner, { bus, ports, ownPostgres, ownKafka });
  const environment = environmentOf({ bus, ports, secrets, superuserUrl, kafkaBrokers });
  writeEnvFiles(environment.apps);
  watch.migrate = () => migrate(runner, environment.migrate, ROOT);
  await step('migrate', () => migrate(runner, environment.migrate, dataOf));
  await step('seed', () => seed(runner, environment.apps, path.resolve(dataOf)));
  const debugged = inspect ? { [watched[0]]: [`--inspect=127.0.0.1:${ports.debugger}`] } : {};
  await startPrograms(runner, environment, running, debugged);
  const stack = await step('ready', () =>
    describeStack({ environment, ports, bus, superuserUrl, kafkaBrokers, running }),
  );
  const run = (...names) => names.every((name) => running.includes(name));
  if (run('partner-gateway', 'postback-dispatcher'))
    await step('postbacks to the inbox', () => configurePostback(stack, secrets.inboxKey));
  if (run('idp-api', 'webhook-ingest')) await step('identity users', () => seedUsers(stack));
  const described = { ...stack, ...(run('partner-gateway') && { console: await describeConsole(stack) }) };
  writeStack(described);
  keepSecondFactors(runner, described);
  // If another program started this process, such as the chaos run, no welcome is printed: the program reads stack.json, and no person
  // uses this stack.
  if (!process.connected) for (const line of welcomeLines(described, running, Date.now() - began)) report(line);
  if (inspect) report(`Debugger of ${watched[0]}: 127.0.0.1:${ports.debugger}`);
  if (watched.length > 0) report(`Watched: ${watched.join(', ')}, and the libs that they use.`);
}

/**
 * Renews the tokens of the demo users in stack.json every half hour, because their second factor is valid for only an hour.
 */
function keepSecondFactors(runner, stack) {
  const refresh = async () => {
    try {
      const users = await userTokens(stack.sandbox.issuer);
      if (!runner.stopping) writeStack({ ...stack, users });
    } catch (error) {
      report(`  ! the tokens in stack.json were not renewed: ${error.message}`);
    }
  };
  setInterval(refresh, SECOND_FACTOR_REFRESH_MS).unref();
}

function giveUp(runner, error) {
  report(`  ! watching for edits failed: ${error.message}`);
  void runner.stop(1);
}

/**
 * Starts Postgres and, if the bus is Kafka, a broker. Does not start a server that the environment names.
 * @returns the superuser's URL and the brokers
 */
async function startServers(runner, { bus, ports, ownPostgres, ownKafka }) {
  const programs = [];
  if (!ownPostgres) {
    const args = [inHome('postgres'), String(ports.postgres)];
    programs.push({ name: 'postgres', file: inRoot('tools/postgres/postgres.mjs'), args });
  }
  if (bus === 'kafka' && !ownKafka) {
    await fetchKafka(runner);
    const args = ['--data', inHome('kafka'), '--cache', KAFKA_CACHE, '--port', String(ports.kafka)];
    programs.push({ name: 'kafka', file: inRoot('tools/kafka/kafka.mjs'), args });
  }
  if (programs.length === 0) return [ownPostgres, ownKafka];
  const messages = await step(`start ${programs.map(({ name }) => name).join(', ')}`, () => runner.start(...programs));
  const message = (name) => messages[programs.findIndex((program) => program.name === name)];
  return [message('postgres')?.url ?? ownPostgres, message('kafka')?.brokers ?? ownKafka];
}

async function startPrograms(runner, environment, running, nodeArgs) {
  const sandbox = { name: 'sandbox', file: built('tools/sandbox/dist/main.js'), env: environment.sandbox };
  const apps = running.map((name) => ({
    name,
    file: built('apps', name, 'dist/main.js'),
    nodeArgs: nodeArgs[name],
    env: environment.apps[name],
  }));
  await step(`start ${apps.length} apps, sandbox`, () => runner.start(sandbox, ...apps));
  await step('start edge', () =>
    runner.start({ name: 'edge', file: built('tools/edge/dist/main.js'), env: environment.edge }),
  );
}

/** Writes the process ids of all programs to pids.json, for tools that inspect or kill single processes. */
function writePids(runner) {
  const processes = Object.fromEntries(runner.processes.map(({ name, ...state }) => [name, state]));
  writePrivately(PIDS_FILE, { runner: process.pid, processes });
}

function explain(error, logs) {
  report();
  const reasons = [];
  // Skips a cause whose message is part of the previous message.
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (!reasons.at(-1)?.includes(cause.message)) reasons.push(cause.message);
  console.error(`${bold('Tandem could not start.')}\n${reasons.join('\n  because: ')}`);
  const [name] = /^[a-z-]+(?= (?:ended|was not))/.exec(error.message) ?? [];
  if (name)
    console.error(
      logs
        .tail(name)
        .map((line) => dim(`  ${line}`))
        .join('\n'),
    );
}
