import { Logger } from '@nestjs/common';
import { Worker } from 'node:worker_threads';
import type { AppDefinition } from './app-definition';
import { bootstrap, type RunningApp } from './bootstrap';
import { loadConfig, ConfigError } from './config/load-config';
import type { BaseConfig } from './config/base-config';
import { migrate } from './migrate';
import { waitForMigration } from './wait-for-migration';

/** sysexits(3): the command line is wrong. */
const EXIT_USAGE = 64;
/** sysexits(3): the environment is wrong; a restart will not help. */
const EXIT_CONFIG = 78;

/**
 * Runs the program of an app. Without an argument, the program serves until it is stopped; `migrate` brings the app's schema and
 * topics up to date and exits; `wait-for-migration` exits when the schema is up to date.
 */
export async function run<C extends BaseConfig>(app: AppDefinition<C>): Promise<void> {
  const [command, ...rest] = process.argv.slice(2);
  if (command === undefined) return serve(app);
  if (command === 'migrate' && rest.length === 0) return runAndEnd(app, 'migrate', migrate);
  if (command === 'wait-for-migration' && rest.length === 0) return runAndEnd(app, 'wait', waitForMigration);
  process.stderr.write(`usage: node main.js [migrate | wait-for-migration], not: ${[command, ...rest].join(' ')}\n`);
  process.exit(EXIT_USAGE);
}

async function runAndEnd<C extends BaseConfig>(
  app: AppDefinition<C>,
  what: string,
  command: (app: AppDefinition<C>, env: NodeJS.ProcessEnv) => Promise<unknown>,
): Promise<void> {
  for (const event of ['SIGTERM', 'SIGINT'] as const) process.once(event, () => process.exit(1));
  try {
    await command(app, process.env);
    process.exit(0);
  } catch (error) {
    fail(app.name, error, what);
  }
}

/**
 * Starts the app. Sends `{ ready, url }` to the parent process if it forked this process. Stops the app gracefully on SIGTERM or SIGINT,
 * and when the parent process has exited. An unexpected error ends the process. The process that replaces it continues from stored state.
 */
async function serve<C extends BaseConfig>(app: AppDefinition<C>): Promise<void> {
  process.once('uncaughtException', (error) => crash(app.name, error));
  process.once('unhandledRejection', (reason) => crash(app.name, reason));
  // Until the app has started, a signal ends the process immediately, because startup waits for the database without limit.
  let end = (): void => process.exit(0);
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(event as NodeJS.Signals, () => end());
  if (process.send && !process.connected) return end();
  try {
    const running = await bootstrap(app, process.env);
    const { SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS } = loadConfig(app.config, process.env);
    end = () => void stop(running, SHUTDOWN_DELAY_MS + SHUTDOWN_TIMEOUT_MS);
    // The callback ignores the error of a failed send: if the parent process has exited, the event `disconnect` stops the app.
    process.send?.({ ready: true, url: running.url }, undefined, undefined, () => undefined);
  } catch (error) {
    fail(app.name, error);
  }
}

let stopping = false;

async function stop(running: RunningApp, timeoutMs: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  endAfter(timeoutMs);
  try {
    await running.close();
    process.exit(0);
  } catch (error) {
    new Logger('run').error({ msg: 'the stop failed', reason: (error as Error).message });
    process.exit(1);
  }
}

/**
 * Ends the process after `ms`, whatever it is waiting for. If the event loop is blocked or the exit hangs, a thread kills the process.
 * (Process 1 of a container cannot be killed from inside, so the orchestrator has to kill it.)
 */
function endAfter(ms: number): void {
  setTimeout(() => process.exit(1), ms).unref();
  const kill = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${ms + 200})`;
  new Worker(kill, { eval: true, execArgv: [] }).unref();
}

function fail(name: string, error: unknown, what = 'start'): never {
  if (error instanceof ConfigError) {
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exit(EXIT_CONFIG);
  }
  const { code, message } = error as NodeJS.ErrnoException;
  const hint = code === 'EADDRINUSE' ? ' (set PORT to another port)' : '';
  process.stderr.write(`${name} could not ${what}: ${message}${hint}\n`);
  process.exit(1);
}

function crash(name: string, reason: unknown): never {
  const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  process.stderr.write(`${JSON.stringify({ level: 'fatal', app: name, msg: 'unexpected end', stack: text })}\n`);
  process.exit(1);
}
