import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Cleanup, ROOT } from '../processes/child';

/** What is used of `stack.json`. */
export interface StackFile {
  readonly baseUrl: string;
  readonly partners: { readonly promotion: { readonly token: string; readonly promotionCode: string } };
  readonly webhooks: { readonly payments: { readonly secret: string } };
}

const READY_MS = 300_000;
const STOP_MS = 30_000;
const PORTS = [
  'EDGE',
  'SANDBOX',
  'PARTNER_GATEWAY',
  'WEBHOOK_INGEST',
  'POSTBACK_DISPATCHER',
  'VOUCHER_SERVICE',
  'TANDEM_POSTGRES',
  'TANDEM_KAFKA',
];

/** Starts the stack as `npm start -- --bus kafka` does, in a folder and on ports of its own. */
export async function startStack(cleanup: Cleanup): Promise<StackFile> {
  const home = mkdtempSync(path.join(tmpdir(), 'tandem-bench-stack-'));
  chmodSync(home, 0o755); // Postgres runs as another account when we are root
  cleanup.add(async () => rmSync(home, { recursive: true, force: true }));
  const runner = spawn(process.execPath, [path.join(ROOT, 'tools/start/start.mjs'), '--bus', 'kafka'], {
    env: { ...process.env, TANDEM_DIR: home, ...Object.fromEntries(PORTS.map((name) => [`${name}_PORT`, '0'])) },
    // The channel tells the runner when this process is gone, however it ended.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true, // Ctrl-C reaches this process, which ends the stack in order
  });
  cleanup.add(() => stop(runner));
  const file = path.join(home, 'stack.json');
  for (const deadline = Date.now() + READY_MS; !existsSync(file);) {
    if (runner.exitCode !== null || Date.now() > deadline) throw new Error('the stack did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return JSON.parse(readFileSync(file, 'utf8')) as StackFile;
}

async function stop(runner: ChildProcess): Promise<void> {
  if (runner.exitCode !== null || runner.signalCode !== null) return;
  const gone = once(runner, 'exit');
  const hard = setTimeout(() => runner.kill('SIGKILL'), STOP_MS);
  runner.kill('SIGTERM');
  await gone;
  clearTimeout(hard);
}
