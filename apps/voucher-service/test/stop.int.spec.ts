import { type FaultyServer, forkSource, startPostgresServer } from '@tandem/testing';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { environmentOf, prepare } from './vouchers';

describe('a voucher-service whose Postgres was killed', () => {
  let postgres: FaultyServer & { readonly url: string };
  let child: ChildProcess;

  /** Starts the app in a separate process, and waits until the app is ready. */
  beforeEach(async () => {
    postgres = await startPostgresServer();
    await prepare(postgres.url);
    const urlFor = (username: string): string =>
      Object.assign(new URL(postgres.url), { username, password: 'test' }).toString();
    const env = { ...environmentOf({ urlFor }), LOG_LEVEL: 'info' };
    child = forkSource(path.join(__dirname, 'voucher-process.ts'), env, { stdout: 'pipe' });
    child.stdout?.resume();
    await once(child, 'message');
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await postgres.stop();
  });

  it('exits on SIGTERM', async () => {
    await postgres.kill();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('exits when the channel to its parent process and its standard output are closed', async () => {
    child.stdout?.destroy();
    await postgres.kill();
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
