import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inRoot, ROOT } from '../stack/paths.mjs';
import { Runner } from '../stack/runner.mjs';
import { EVERYTHING, needsOf, startTestServers } from './test-servers.mjs';

/**
 * Starts the servers that the selected test files need, for `npx jest <file>` and the "run test" of an editor. Starts nothing if
 * DATABASE_URL and either KAFKA_BROKERS or KAFKA_SKIP are set, as they are when `npm test` runs all tests.
 */
export default async function setUp() {
  const { DATABASE_URL, KAFKA_BROKERS, KAFKA_SKIP } = process.env;
  if (DATABASE_URL && (KAFKA_BROKERS || KAFKA_SKIP)) return;
  const files = chosenFiles();
  const needs = files ? needsOf(files) : EVERYTHING;
  // The folder is in the system's temporary folder: when root runs the tests, Postgres runs as another account, which can read that folder.
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-test-'));
  fs.chmodSync(scratch, 0o755);
  const runner = new Runner({ stopMs: 20_000 });
  let variables = {};
  // The runner handles the signals that would end Jest, so Jest must end when the runner has got one of them.
  void runner.done.then(() => {
    if (!runner.endedBy) return;
    fs.rmSync(scratch, { recursive: true, force: true });
    process.exit(130);
  });
  globalThis.tearDownServers = async () => {
    await runner.stop(0);
    // In watch mode, Jest calls this setup again before the next run, so it must not find the old variables.
    for (const name of Object.keys(variables)) delete process.env[name];
    fs.rmSync(scratch, { recursive: true, force: true });
  };
  try {
    variables = await startTestServers(runner, scratch, needs);
    Object.assign(process.env, variables);
  } catch (error) {
    await globalThis.tearDownServers();
    throw error;
  }
}

/** Returns the test files of this run of Jest, according to its arguments; undefined when Jest does not accept them. */
function chosenFiles() {
  const options = process.argv.slice(2).filter((argument) => !/^--(json|outputFile|watch|watchAll)\b/.test(argument));
  // The added options come first, because Jest takes all arguments after a `--` as names of files.
  const jest = [inRoot('node_modules/jest/bin/jest.js'), '--listTests', '--json', ...options];
  const { stdout, status } = spawnSync(process.execPath, jest, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? JSON.parse(stdout) : undefined;
}
