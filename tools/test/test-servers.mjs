import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { requireJava } from '../kafka/kafka.mjs';
import { findPrometheus } from '../observability/prometheus.mjs';
import { findBrowser } from './browser.mjs';
import { step, report } from '../stack/console.mjs';
import { build, fetchKafka } from '../stack/install.mjs';
import { inRoot, KAFKA_CACHE } from '../stack/paths.mjs';

/** @typedef {{ postgres?: boolean, kafka?: boolean, browser?: boolean, prometheus?: boolean, stack?: boolean }} Needs */

/** The needs of all tests together. @type {Needs} */
export const EVERYTHING = { postgres: true, kafka: true, browser: true, prometheus: true, stack: true };

/** Postgres settings for test databases. They are fast but unsafe: test data need not survive a power failure. */
const DISPOSABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/**
 * A pattern for each server. A test file needs the server if the pattern matches the file itself, or a file that it imports directly or
 * indirectly by relative paths.
 */
const SIGNS = {
  postgres: /@tandem\/testing'|DATABASE_URL/,
  kafka: /\b(describeKafka|describeOnBus|requireKafka|startKafkaBroker)\b/,
  browser: /\bdescribeInBrowser\(/,
  prometheus: /PROMETHEUS_SKIP/,
  stack: /\bstartTestStack\b/,
};
const IMPORT = /(?:from|import)\s+'(\.[^']*)'/g;

/**
 * Finds out from the text of test files which servers they need.
 *
 * @param {readonly string[]} files absolute paths
 * @returns {Needs}
 */
export function needsOf(files) {
  const seen = new Set();
  const texts = [];
  const visit = (file) => {
    if (seen.has(file) || !isFile(file)) return;
    seen.add(file);
    const text = fs.readFileSync(file, 'utf8');
    texts.push(text);
    for (const [, imported] of text.matchAll(IMPORT)) {
      const target = path.resolve(path.dirname(file), imported);
      // Skips the sources of projects: they are many, and a match in them, such as DATABASE_URL in a configuration, does not show that the
      // test needs a server.
      if (target.includes(`${path.sep}src`)) continue;
      for (const end of ['', '.ts', `${path.sep}index.ts`]) visit(target + end);
    }
  };
  files.forEach(visit);
  return Object.fromEntries(Object.entries(SIGNS).map(([name, sign]) => [name, texts.some((text) => sign.test(text))]));
}

const isFile = (file) => fs.existsSync(file) && fs.statSync(file).isFile();

/**
 * Starts the servers that tests need, unless the environment names them.
 * - Builds the stack if a test starts it: two tests that build the stack at the same time would write the same files.
 * - If Kafka, the browser or Prometheus is missing, prints a warning. The tests that need the missing program are skipped.
 *
 * @param {import('../stack/runner.mjs').Runner} runner
 * @param {string} scratch a folder for the data of the servers
 * @param {Needs} needs
 * @returns {Promise<Record<string, string | undefined>>} the environment of the tests
 */
export async function startTestServers(runner, scratch, needs) {
  const { env: outside } = process;
  const env = { KAFKA_CACHE_DIR: KAFKA_CACHE };
  const programs = [];
  if (needs.stack) await buildStack(runner);
  if (needs.postgres && !outside.DATABASE_URL) {
    const file = inRoot('tools/postgres/postgres.mjs');
    programs.push({ name: 'postgres', file, args: [path.join(scratch, 'postgres'), '0', ...DISPOSABLE] });
  }
  if (needs.kafka && !outside.KAFKA_BROKERS && !outside.KAFKA_SKIP) {
    if (await hasKafka()) {
      await fetchKafka(runner);
      const args = ['--data', path.join(scratch, 'kafka'), '--cache', KAFKA_CACHE];
      programs.push({ name: 'kafka', file: inRoot('tools/kafka/kafka.mjs'), args });
    } else {
      warn('NO KAFKA: KAFKA_BROKERS is not set, and java (17 or later) and mvn are not both installed.');
      env.KAFKA_SKIP = '1';
    }
  }
  return {
    ...env,
    ...(await startAll(runner, programs)),
    ...(needs.browser && !outside.BROWSER_SKIP && (await withBrowser(runner))),
    ...(needs.prometheus && (await withPrometheus())),
  };
}

/** Builds the stack. A failure is only printed: the tests that start the stack then fail, but the other tests still run. */
async function buildStack(runner) {
  try {
    await step('build', () => build(runner));
  } catch (error) {
    if (runner.stopping) throw error;
    report(`  ! the tests that start a stack will fail: ${error.message}`);
  }
}

async function startAll(runner, programs) {
  if (programs.length === 0) return {};
  const names = programs.map(({ name }) => name);
  const messages = await step(`start ${names.join(', ')}`, () => runner.start(...programs));
  const postgres = messages[names.indexOf('postgres')];
  const kafka = messages[names.indexOf('kafka')];
  return { ...(postgres && { DATABASE_URL: postgres.url }), ...(kafka && { KAFKA_BROKERS: kafka.brokers }) };
}

/** Finds the browser for the tests of pages. */
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

/** Finds Prometheus and promtool for the tests of rules and dashboards. */
async function withPrometheus() {
  try {
    await step('find Prometheus', async () => void (await findPrometheus()));
    return {};
  } catch (error) {
    warn(`NO PROMETHEUS: ${error.message.split('\n')[0]}`);
    return { PROMETHEUS_SKIP: '1' };
  }
}

/** Prints a warning in a box. @param text the missing program, and the reason */
function warn(text) {
  const lines = [text, 'The tests that need it are skipped, and counted as skipped.'];
  const width = Math.max(...lines.map((line) => line.length));
  report(`┌${'─'.repeat(width + 2)}┐`);
  for (const line of lines) report(`│ ${line.padEnd(width)} │`);
  report(`└${'─'.repeat(width + 2)}┘`);
}

/** Returns whether a broker can be started here: Java runs the broker, and Maven downloads it the first time. */
const hasKafka = () =>
  requireJava().then(
    () => spawnSync('mvn', ['-version']).status === 0,
    () => false,
  );
