import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

// A process compiles its sources at its start.
jest.setTimeout(60_000);

/** Forks an app whose database is away, and resolves when it waits for it. */
async function forkWaitingApp(): Promise<ChildProcess> {
  const child = fork(path.join(__dirname, 'fixture/waiting-app.ts'), [], {
    execArgv: ['--conditions=@tandem/source', '--require', '@swc-node/register'],
    env: {
      ...process.env,
      PORT: '0',
      LOG_LEVEL: 'info',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      SWC_NODE_PROJECT: path.resolve(__dirname, '../../../tsconfig.base.json'),
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    if (String(chunk).includes('waiting for the database')) return child;
  }
  throw new Error('the app ended before it waited');
}

describe('a process whose start waits for the database', () => {
  let child: ChildProcess;

  beforeEach(async () => {
    child = await forkWaitingApp();
  });
  afterEach(() => void child.kill('SIGKILL'));

  it('ends when its runner is gone', async () => {
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('ends by itself at SIGTERM, as process 1 of a container has to', async () => {
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
