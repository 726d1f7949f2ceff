import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPrometheus } from '../observability/prometheus.mjs';
import { findBrowser } from './browser.mjs';
import { writeClientTypes } from './client-types.mjs';
import { step, tell } from './console.mjs';
import { fetchKafka, install, isInstalled } from './install.mjs';
import { inRoot, KAFKA_CACHE, ROOT } from './paths.mjs';
import { Runner } from './runner.mjs';
import { countJest, countNode, filesWithSkipped, keepResults } from './test-results.mjs';

/** Nothing in a test's database has to survive a power cut. */
const DISPOSABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** Tests of the tools themselves, by Node's own runner. */
const nodeTestFiles = () =>
  fs
    .readdirSync(inRoot('tools'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: tool }) => fs.readdirSync(inRoot('tools', tool)).map((name) => inRoot('tools', tool, name)))
    .filter((file) => file.endsWith('.test.mjs'));

/**
 * Runs everything and prints the sum of it.
 * @param {string[]} jestArguments
 * @returns {Promise<number>} the exit code
 */
export async function runTests(jestArguments) {
  // The system's own folder: Postgres, when root starts it, must be able to enter the path as another account.
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-test-'));
  fs.chmodSync(scratch, 0o755);
  const log = [];
  const runner = new Runner({ onLine: (name, line) => log.push(`${name}: ${line}`), stopMs: 20_000 });
  let code = 1;
  try {
    if (!isInstalled()) await step('install (npm ci)', () => install(runner));
    writeClientTypes();
    /** @type {Record<string, string | undefined>} */
    const env = {
      ...(await startServers(runner, scratch)),
      ...(needsBrowser(jestArguments) && (await withBrowser(runner))),
      // Only tests of the tools need it.
      ...(jestArguments.length === 0 && (await withPrometheus())),
    };
    const counts = await runSuites(runner, env, scratch, jestArguments);
    tell(`${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`);
    if (counts.skippedIn.length > 0) tell(`Skipped tests are in ${counts.skippedIn.join(', ')}`);
    if (env.KAFKA_SKIP) tell('KAFKA WAS NOT TESTED: its tests are among the skipped ones.');
    if (env.BROWSER_SKIP) tell('THE PAGES WERE NOT TESTED IN A BROWSER: these tests are among the skipped ones.');
    if (env.PROMETHEUS_SKIP) tell('RULES AND DASHBOARDS WERE NOT TESTED: these tests are among the skipped ones.');
    code = counts.failed === 0 && counts.ended ? 0 : 1;
  } catch (error) {
    if (!runner.stopping) console.error([error.message, ...log.slice(-20)].join('\n'));
  }
  const stopped = runner.stopping;
  await runner.stop(code);
  fs.rmSync(scratch, { recursive: true, force: true });
  return stopped ? 130 : code;
}

/** @returns {Promise<Record<string, string | undefined>>} the environment of the tests */
async function startServers(runner, scratch) {
  const { DATABASE_URL, KAFKA_BROKERS } = process.env;
  const env = { DATABASE_URL, KAFKA_BROKERS, KAFKA_CACHE_DIR: KAFKA_CACHE };
  const programs = [];
  if (!env.DATABASE_URL) {
    const file = inRoot('tools/postgres/postgres.mjs');
    programs.push({ name: 'postgres', file, args: [path.join(scratch, 'postgres'), '0', ...DISPOSABLE] });
  }
  if (!env.KAFKA_BROKERS && !hasKafka()) return { ...env, ...(await withoutKafka(runner, programs)) };
  if (!env.KAFKA_BROKERS) {
    await fetchKafka(runner);
    const args = ['--data', path.join(scratch, 'kafka'), '--cache', KAFKA_CACHE];
    programs.push({ name: 'kafka', file: inRoot('tools/kafka/kafka.mjs'), args });
  }
  return { ...env, ...(await startAll(runner, programs)) };
}

async function startAll(runner, programs) {
  if (programs.length === 0) return {};
  const names = programs.map(({ name }) => name);
  const messages = await step(`start ${names.join(', ')}`, () => runner.start(...programs));
  const postgres = messages[names.indexOf('postgres')];
  const kafka = messages[names.indexOf('kafka')];
  return { ...(postgres && { DATABASE_URL: postgres.url }), ...(kafka && { KAFKA_BROKERS: kafka.brokers }) };
}

async function withoutKafka(runner, programs) {
  warn('NO KAFKA: neither KAFKA_BROKERS is set nor are java (17 or later) and mvn to be found.');
  return { ...(await startAll(runner, programs)), KAFKA_SKIP: '1' };
}

/**
 * Whether a run of Jest has tests of pages: looking for a browser may fetch one.
 * @param {string[]} jestArguments
 */
export function needsBrowser(jestArguments) {
  if (jestArguments.length === 0) return true;
  const list = [inRoot('node_modules/jest/bin/jest.js'), ...jestArguments, '--listTests', '--json'];
  const { stdout, status } = spawnSync(process.execPath, list, { cwd: ROOT, encoding: 'utf8' });
  // Jest itself says what is wrong with its arguments.
  if (status !== 0) return false;
  return JSON.parse(stdout).some((file) => fs.readFileSync(file, 'utf8').includes('describeInBrowser('));
}

/** The browser for the tests of pages. */
async function withBrowser(runner) {
  try {
    let path;
    await step('find a browser', async () => (path = await findBrowser(runner)));
    return { CHROME_PATH: path };
  } catch (error) {
    if (runner.stopping) throw error;
    warn(`NO BROWSER: ${error.message.split('\n')[0]}`);
    return { BROWSER_SKIP: '1' };
  }
}

/** The Prometheus and the promtool for the tests of rules and dashboards. */
async function withPrometheus() {
  try {
    await step('find Prometheus', async () => void (await findPrometheus()));
    return {};
  } catch (error) {
    warn(`NO PROMETHEUS: ${error.message.split('\n')[0]}`);
    return { PROMETHEUS_SKIP: '1' };
  }
}

/** Something that should be here and is not, in a box. */
function warn(text) {
  const lines = [text, 'The tests that need it are skipped, and counted as skipped.'];
  const width = Math.max(...lines.map((line) => line.length));
  tell(`┌${'─'.repeat(width + 2)}┐`);
  for (const line of lines) tell(`│ ${line.padEnd(width)} │`);
  tell(`└${'─'.repeat(width + 2)}┘`);
}

/** Whether a broker can be started here: Java runs it, Maven fetches it the first time. */
const hasKafka = () =>
  [
    ['java', '-version'],
    ['mvn', '-version'],
  ].every(([command, flag]) => spawnSync(command, [flag]).status === 0);

async function runSuites(runner, env, scratch, jestArguments) {
  const report = path.join(scratch, 'jest.json');
  // What jest keeps of each file adds up to 2.7 GB a worker, and collecting it starves the tests that come last.
  const workers = ['--maxWorkers=2', '--workerIdleMemoryLimit=800MB'];
  const jest = [inRoot('node_modules/jest/bin/jest.js'), ...workers, '--json', `--outputFile=${report}`];
  const jestCode = await run(runner, [...jest, ...jestArguments], env);
  const counts = fs.existsSync(report) ? countJest(report) : { passed: 0, failed: 1, skipped: 0 };
  let ended = jestCode === 0;

  const files = jestArguments.length === 0 ? nodeTestFiles() : [];
  const nodeReport = files.length > 0 ? path.join(scratch, 'node.jsonl') : undefined;
  if (nodeReport !== undefined) {
    const shown = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
    const reporter = pathToFileURL(inRoot('tools/start/test-reporter.mjs')).href;
    const kept = [`--test-reporter=${reporter}`, `--test-reporter-destination=${nodeReport}`];
    const nodeCode = await run(runner, ['--test', ...shown, ...kept, ...files], env);
    const sum = countNode(nodeReport);
    for (const kind of ['passed', 'failed', 'skipped']) counts[kind] += sum[kind];
    ended &&= nodeCode === 0;
  }
  const isWhole = fs.existsSync(report) && !jestArguments.some(isTestFilter);
  if (isWhole) keepResults(report, nodeReport);
  return { ...counts, ended, skippedIn: isWhole ? filesWithSkipped(report, nodeReport) : [] };
}

/** Whether an argument makes Jest run only some tests of a file. */
const isTestFilter = (argument) => /^(-t|--testNamePattern)(=|$)/.test(argument);

/** Runs one suite with its output on the terminal. @throws when everything is being stopped */
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
