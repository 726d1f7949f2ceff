import { forkSource, JsonServer } from '@tandem/testing';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';

// The timeout is long, because a process compiles its sources when it starts.
jest.setTimeout(60_000);

let child: ChildProcess;

afterEach(() => void child.kill('SIGKILL'));

/** Forks a fixture, and resolves when it has logged the text or, without a text, when it is ready. */
async function startFixture(
  file: string,
  { text, env = {} }: { text?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const defaults = { PORT: '0', LOG_LEVEL: 'info', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  child = forkSource(path.join(__dirname, 'fixture', file), { ...defaults, ...env }, { stdout: 'pipe' });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${file} ended too early`)));
    child.stdout?.on('data', (chunk) => {
      if (text !== undefined && String(chunk).includes(text)) resolve();
    });
    if (text === undefined) child.once('message', () => resolve());
  });
}

describe('a process whose start waits for the database', () => {
  beforeEach(() => startFixture('waiting-app.ts', { text: 'waiting for the database' }));

  it('ends when its parent process has exited', async () => {
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('handles SIGTERM itself, because the kernel does not end process 1 of a container on SIGTERM', async () => {
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('a process whose port is in use', () => {
  it('names the variable that sets the port', async () => {
    const other = await JsonServer.start();
    const env = { PORT: new URL(other.url).port, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    child = forkSource(path.join(__dirname, 'fixture/closing-app.ts'), env, { stderr: 'pipe' });
    const [err, [code]] = await Promise.all([textOf(child.stderr as Readable), once(child, 'exit')]);
    await other.stop();
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^closing could not start: .*EADDRINUSE.*\(set PORT to another/),
    ]);
  });
});

describe('a process that stops', () => {
  it('ends even if no process reads its log', async () => {
    await startFixture('closing-app.ts');
    child.stdout?.destroy();
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('is not killed during SHUTDOWN_DELAY_MS, which does not count towards SHUTDOWN_TIMEOUT_MS', async () => {
    await startFixture('closing-app.ts', { env: { SHUTDOWN_DELAY_MS: '1500', SHUTDOWN_TIMEOUT_MS: '500' } });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('is killed after SHUTDOWN_TIMEOUT_MS when its stop blocks the event loop', async () => {
    await startFixture('closing-app.ts', { env: { BLOCK: '1', SHUTDOWN_TIMEOUT_MS: '500' } });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});

describe('a process that ends', () => {
  it.each([
    ['by its own call', 'exit', 7],
    ['by an error that nobody caught', 'throw', 1],
  ])('%s has written the last log lines of all its loggers, in order', async (_name, way, code) => {
    await startFixture('last-lines.ts');
    let log = '';
    child.stdout?.on('data', (chunk) => void (log += String(chunk)));
    child.send(way);
    expect(await once(child, 'close')).toEqual([code, null]);
    const lines = log.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['first', 'second', 'last']);
  });
});
