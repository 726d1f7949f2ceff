import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { APPS, variableOf } from '../../apps/apps.js';
import { inRoot } from '../stack/paths.mjs';

/** The time limit of a test that starts a stack. It is long, because the start may include a build on a machine that runs other tests. */
export const STACK_TIMEOUT_MS = 600_000;

/**
 * Starts a stack for a test as `npm start` does, on free ports and with its own folder and Postgres.
 *
 * @param {{ bus?: 'kafka' | 'postgres', env?: NodeJS.ProcessEnv, detached?: boolean }} [options]  `env` is added to the environment;
 *   `detached` keeps Ctrl-C from reaching the stack, so that the caller decides when it ends
 */
export async function startTestStack({ bus = 'postgres', env = {}, detached = false } = {}) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'stack-'));
  fs.chmodSync(home, 0o755); // Postgres runs as another account when the tests run as root
  const ports = [
    'EDGE_PORT',
    'SANDBOX_PORT',
    'TANDEM_POSTGRES_PORT',
    'TANDEM_KAFKA_PORT',
    ...APPS.map(({ name }) => variableOf(name, 'PORT')),
  ];
  const environment = {
    ...process.env,
    ...Object.fromEntries(ports.map((name) => [name, '0'])),
    TANDEM_DIR: home,
    TANDEM_POSTGRES_URL: '',
    ...env,
  };
  const runner = spawn(process.execPath, [inRoot('tools/stack/start.mjs'), '--bus', bus], {
    env: environment,
    detached,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'], // through the IPC channel, npm start notices that this process has ended
  });
  const output = [];
  for (const stream of [runner.stdout, runner.stderr]) stream?.on('data', (chunk) => output.push(chunk));
  const stop = async () => {
    if (runner.exitCode === null) {
      runner.kill('SIGTERM');
      await once(runner, 'exit');
    }
    fs.rmSync(home, { recursive: true, force: true });
  };
  const file = path.join(home, 'stack.json');
  while (!fs.existsSync(file)) {
    if (runner.exitCode !== null) {
      await stop();
      throw new Error(`the stack did not start: ${Buffer.concat(output)}`);
    }
    await delay(100);
  }
  const stack = JSON.parse(fs.readFileSync(file, 'utf8'));
  return { home, environment, stack, stop, output: () => Buffer.concat(output) };
}
