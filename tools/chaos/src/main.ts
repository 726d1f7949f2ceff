import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runFaults } from './faults/run';
import { canMount, IN_NAMESPACE } from './faults/small-disk';
import { flood } from './ingest/flood';
import { UserStream } from './identity/users';
import { isReached } from './identity/verdict';
import { type Kill, Killer } from './killer';
import { type ChaosOptions, readOptions, USAGE } from '../options';
import { arrivalOfAll, enrollmentOfAll, salesIn } from './outcome';
import { PurchaseStream } from './purchases';
import { randomFrom } from './random';
import { roll } from './replicas/rolling';
import { UNLIMITED } from './replicas/under-load';
import { findings, identityFindings, identityTable, killTable, verdictTable } from './report';
import { survive } from './sdk/survive';
import { interruption } from './signals';
import { Sink } from './sink';
import { ChaosStack } from './stack';
import { checkApps, upgrade } from './upgrade/upgrade';
import { type Version, versionOf } from './upgrade/version';
import { isClean, judge } from './verdict';

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(USAGE);
    return 0;
  }
  if (options.faults !== null && canMount() && process.env[IN_NAMESPACE] === undefined) return inNamespace();
  console.log(`chaos on the ${options.bus} bus: ${describe(options)}`);
  const interrupted = interruption();
  try {
    return (await runChosen(options, interrupted)) ? 0 : 1;
  } catch (error) {
    if (interrupted.aborted && error === interrupted.reason) return 130;
    throw error;
  }
}

/**
 * Performs the run that the options choose.
 * @param interrupted aborts the startup of the stack. After the startup, signals end the run; for `--faults`, see
 *   `runFaults`
 */
async function runChosen(options: ChaosOptions, interrupted: AbortSignal): Promise<boolean> {
  if (options.faults !== null) return runFaults(options, options.faults, interrupted);
  const earlier = options.upgrade
    ? await versionOf(options.from, (line) => console.log(`  ${line}`)).finally(() => interrupted.throwIfAborted())
    : null;
  if (earlier) checkApps(options, earlier);
  const stack = await ChaosStack.start(options.bus, (line) => console.log(line), {
    withoutApps: options.rolling || options.upgrade,
    dataOf: earlier?.folder,
    env: options.sdk ? UNLIMITED : {},
    signal: interrupted,
  });
  const sink = new Sink();
  const end = (): void => void stack.stop().then(() => process.exit(130));
  process.once('SIGINT', end).once('SIGTERM', end);
  let passed = false;
  try {
    passed = await run(options, stack, sink, earlier);
  } finally {
    sink.close();
    const kept = await stack.stop({ keep: !passed });
    if (kept !== null) console.log(`logs and data are kept in ${kept}`);
  }
  return passed;
}

/**
 * Runs this process's own command again, in a separate mount namespace. When that command ends or is killed, the
 * namespace ends too, and unmounts the file systems that the command has mounted for its servers.
 */
async function inNamespace(): Promise<number> {
  const child = spawn('unshare', ['--mount', process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [IN_NAMESPACE]: '1' },
  });
  // The terminal sends Ctrl-C to the child too. The empty listener for SIGINT keeps this process alive until the child
  // has ended.
  process.on('SIGINT', () => undefined).on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

function describe(options: ChaosOptions): string {
  const { faults, rolling, upgrade: upgrading, sdk, replicas, webhooks, kills, rate, seed } = options;
  if (faults !== null) return `${faults} faults, ${replicas} replicas of each app, ${rate} purchases/s, seed ${seed}`;
  if (upgrading) return `an upgrade of ${replicas} replicas of each app and back, ${rate} purchases/s`;
  if (rolling) return `a rolling restart of ${replicas} replicas of each app, ${rate} purchases/s`;
  if (sdk) return `the partner SDK, ${kills} kills of partner-gateway, seed ${seed}`;
  if (webhooks !== null) return `${webhooks} webhooks, ${rate} deliveries/s, seed ${seed}`;
  return `${kills} kills, ${rate} purchases/s, seed ${seed}`;
}

function run(options: ChaosOptions, stack: ChaosStack, sink: Sink, earlier: Version | null): Promise<boolean> {
  if (earlier) return upgrade(options, stack, sink, earlier);
  if (options.rolling) return roll(options, stack, sink);
  if (options.sdk) return survive(options, stack, sink);
  return options.webhooks === null ? storm(options, stack, sink) : flood(options, options.webhooks, stack);
}

async function storm(options: ChaosOptions, stack: ChaosStack, sink: Sink): Promise<boolean> {
  const target = await stack.usePostbackEndpoint(await sink.listen());
  const stream = new PurchaseStream(target);
  const users = new UserStream(stack.identityTarget);
  stream.start(options.rate);
  await users.start(options.users);
  const killer = new Killer(stack, randomFrom(options.seed), options.only);
  await killer.run(options.kills, options.everyMs, (kill) => progress(kill, killer, options, stream, sink));
  const lastRestart = Math.max(...killer.kills.map(({ readyAt }) => readyAt));
  await Promise.all([stream.finish(), users.finish()]);
  console.log(`all ${stream.accepted.length} webhooks are accepted; waiting for their postbacks`);
  const [identity] = await Promise.all([enrollmentOfAll(users), arrivalOfAll(stream, sink)]);
  // A duplicate sale or postback may come late, so the run waits before it reads and judges them.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const verdict = judge(stream.accepted, await salesIn(stack.postgresUrl), sink.arrivals);
  const catchUpMs = Math.max(0, ...[...sink.arrivals.values()].map(({ firstAt }) => firstAt - lastRestart));
  console.log(
    `\n${killTable(killer.kills)}\n\n${verdictTable(verdict, catchUpMs, options.limitMs)}\n${findings(verdict)}`,
  );
  console.log(`${identityTable(identity)}\n${identityFindings(identity)}`);
  const passed = isClean(verdict) && isReached(identity) && catchUpMs <= options.limitMs;
  console.log(passed ? 'chaos passed' : 'chaos FAILED');
  return passed;
}

function progress(kill: Kill, killer: Killer, options: ChaosOptions, stream: PurchaseStream, sink: Sink): void {
  const back = ((kill.readyAt - kill.at) / 1_000).toFixed(1);
  const count = `${killer.kills.length}/${options.kills}`.padStart(7);
  const waiting = stream.accepted.length - sink.arrivals.size;
  console.log(
    `${count}  ${kill.victim.padEnd(20)} back after ${back.padStart(4)} s; ${sink.arrivals.size} arrived, ${waiting} on their way`,
  );
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`chaos could not run: ${(error as Error).message}`);
    process.exit(2);
  },
);
