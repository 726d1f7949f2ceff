import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../../..');

/** A real server for one test. It can be killed and restarted with its data. */
export interface FaultyServer {
  readonly pid: number;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Restarts the server with the same port and data. */
  start(): Promise<void>;
  /** Ends the server and deletes its data. */
  stop(): Promise<void>;
}

/** Starts a PostgreSQL for one test. */
export async function startPostgresServer(): Promise<FaultyServer & { readonly url: string }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tandem-postgres-'));
  chmodSync(directory, 0o755); // if the tests run as root, the server runs under another account
  let child: ChildProcess;
  let url = '';
  let port = '0';
  const start = async (): Promise<void> => {
    child = fork(path.join(ROOT, 'tools/postgres/postgres.mjs'), [directory, port], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
    });
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('PostgreSQL ended before it was ready'))),
    ])) as [{ url: string }];
    url = message.url;
    port = new URL(url).port;
  };
  await start();
  return {
    get url() {
      return url;
    },
    get pid() {
      return serverPid(directory);
    },
    async kill() {
      process.kill(serverPid(directory), 'SIGKILL');
      if (child.exitCode === null) await once(child, 'exit');
    },
    start,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the postmaster's pid, from its pid file. */
function serverPid(directory: string): number {
  return Number(readFileSync(path.join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Starts a Kafka broker for one test: a cluster of one. */
export async function startKafkaBroker(): Promise<FaultyServer & { readonly brokers: string[] }> {
  const child = fork(path.join(ROOT, 'tools/kafka/forked.mjs'), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  const answer = async (): Promise<{ brokers: string; pid: number }> => {
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the Kafka broker could not be started'))),
    ])) as [{ brokers: string; pid: number }];
    return message;
  };
  const ask = (request: 'kill' | 'start' | 'stop'): Promise<{ brokers: string; pid: number }> => {
    child.send(request);
    return answer();
  };
  let state = await answer();
  return {
    get brokers() {
      return [state.brokers];
    },
    get pid() {
      return state.pid;
    },
    kill: async () => void (await ask('kill')),
    start: async () => void (state = await ask('start')),
    async stop() {
      child.send('stop');
      await once(child, 'exit');
    },
  };
}
