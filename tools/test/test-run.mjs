import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeClientTypes } from '../stack/client-types.mjs';
import { report } from '../stack/console.mjs';
import { install, isInstalled } from '../stack/install.mjs';
import { inRoot, ROOT } from '../stack/paths.mjs';
import { Runner } from '../stack/runner.mjs';
import { EVERYTHING, startTestServers } from './test-servers.mjs';
import { countJest, filesWithSkipped, keepResults } from './test-results.mjs';

/**
 * The project whose tests kill and disturb replicas of all apps under load. `npm test` without arguments and `npm run test:affected` run these tests
 * before all others, because the replicas would recover more slowly while other tests run. For the same reason, `npm test` runs them one file at a
 * time.
 */
const ALONE = 'chaos';

/**
 * Returns how many test files run at the same time: two for each core, but at most 8, and at most one for each 2 GiB of memory. The result is never
 * lower than 2.
 *
 * More than one file runs on a core, because many files wait for timeouts and restarts. With three files for each core, the stacks that tests start
 * would compete for the processor, and connections to Postgres would time out.
 */
function workerCount() {
  const memory = Math.min(os.totalmem(), process.constrainedMemory() || Infinity);
  return Math.max(2, Math.min(2 * os.availableParallelism(), 8, Math.floor(memory / 2 ** 31)));
}

/** Divides projects into groups that are tested one after the other: ALONE, then the others. @param {readonly string[]} projects */
export const aloneFirst = (projects) =>
  [projects.filter((name) => name === ALONE), projects.filter((name) => name !== ALONE)].filter(
    ({ length }) => length > 0,
  );

/**
 * Runs tests and prints a summary.
 * @param {string[]} jestArguments empty: all tests
 * @returns {Promise<number>} the exit code
 */
export async function runTests(jestArguments) {
  // The folder is in the system's temporary folder: when root runs the tests, Postgres runs as another account, which can read that folder.
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-test-'));
  fs.chmodSync(scratch, 0o755);
  const log = [];
  const runner = new Runner({ onLine: (name, line) => log.push(`${name}: ${line}`), stopMs: 20_000 });
  let code = 1;
  try {
    if (!isInstalled()) await install(runner);
    writeClientTypes();
    /** @type {Record<string, string | undefined>} */
    // When only some files run, Jest's globalSetup starts the servers that they need.
    const env = jestArguments.length === 0 ? await startTestServers(runner, scratch, EVERYTHING) : {};
    const counts = await runSuites(runner, env, scratch, jestArguments);
    report(
      `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
    );
    if (counts.skippedIn.length > 0) report(`Skipped tests are in ${counts.skippedIn.join(', ')}`);
    if (env.KAFKA_SKIP) report('KAFKA WAS NOT TESTED: its tests are among the skipped ones.');
    if (env.BROWSER_SKIP) report('THE PAGES WERE NOT TESTED IN A BROWSER: these tests are among the skipped ones.');
    if (env.PROMETHEUS_SKIP) report('RULES AND DASHBOARDS WERE NOT TESTED: these tests are among the skipped ones.');
    code = counts.failed === 0 && counts.ended ? 0 : 1;
  } catch (error) {
    if (!runner.stopping) console.error([error.message, ...log.slice(-20)].join('\n'));
  }
  const stopped = runner.stopping;
  await runner.stop(code);
  fs.rmSync(scratch, { recursive: true, force: true });
  return stopped ? 130 : code;
}

async function runSuites(runner, env, scratch, jestArguments) {
  if (jestArguments.length > 0) return runSuite(runner, env, scratch, jestArguments);
  const alone = await runSuite(runner, env, scratch, ['--selectProjects', ALONE, '--runInBand']);
  const others = await runSuite(runner, env, scratch, ['--ignoreProjects', ALONE]);
  return {
    passed: alone.passed + others.passed,
    failed: alone.failed + others.failed,
    skipped: alone.skipped + others.skipped,
    ended: alone.ended && others.ended,
    skippedIn: [...alone.skippedIn, ...others.skippedIn],
  };
}

async function runSuite(runner, env, scratch, jestArguments) {
  const jestReport = path.join(scratch, 'jest.json');
  fs.rmSync(jestReport, { force: true });
  // Restarts a worker that uses more than 800 MB: Jest leaks memory with each file, and garbage collection would slow down the last tests.
  const workers = jestArguments.includes('--runInBand')
    ? []
    : [`--maxWorkers=${workerCount()}`, '--workerIdleMemoryLimit=800MB'];
  const jest = [inRoot('node_modules/jest/bin/jest.js'), ...workers, '--json', `--outputFile=${jestReport}`];
  const jestCode = await run(runner, [...jest, ...jestArguments], env);
  const counts = fs.existsSync(jestReport) ? countJest(jestReport) : { passed: 0, failed: 1, skipped: 0 };
  const isWhole = fs.existsSync(jestReport) && !jestArguments.some(isTestFilter);
  if (isWhole) keepResults(jestReport);
  return { ...counts, ended: jestCode === 0, skippedIn: isWhole ? filesWithSkipped(jestReport) : [] };
}

/** Returns whether an argument makes Jest run only some tests of a file. */
const isTestFilter = (argument) => /^(-t|--testNamePattern)(=|$)/.test(argument);

/** Runs Jest with its output on the terminal. @returns its exit code @throws when the runner is stopping */
async function run(runner, args, env) {
  if (runner.stopping) throw new Error('stopped');
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const stop = () => child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  const code = await new Promise((ended) => child.once('exit', (exit) => ended(exit ?? 1)));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, stop);
  if (runner.stopping) throw new Error('stopped');
  return code;
}
