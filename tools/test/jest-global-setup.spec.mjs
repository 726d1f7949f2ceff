import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { inRoot, ROOT } from '../stack/paths.mjs';

const LIMIT_MS = 60_000;
/**
 * The variable without which Jest starts the servers itself. Its name is divided, because a test file that contains the
 * name is given a Postgres server (see SIGNS in test-servers.mjs).
 */
const SERVER = ['DATABASE', 'URL'].join('_');

describe('Jest, with the servers of its globalSetup', () => {
  /** Starts Jest. @returns the process, and a function that waits for a text in its output */
  function start(...args) {
    const env = { ...process.env, [SERVER]: undefined, npm_lifecycle_event: undefined };
    const jest = [inRoot('node_modules/jest/bin/jest.js'), ...args];
    const child = spawn(process.execPath, jest, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const seen = async (pattern) => {
      for (const until = Date.now() + LIMIT_MS; !pattern.test(output); await delay(50))
        expect([output, Date.now() < until]).toEqual([output, true]);
    };
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(LIMIT_MS) });
    return { child, seen, ended };
  }

  it.each(/** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))(
    'ends on %s between two runs of watch mode',
    async (signal) => {
      const { child, seen, ended } = start('--watchAll', 'tools/options');
      try {
        await seen(/Ran all test suites/);
        // Waits until Jest has stopped the servers of the first run. Jest prints nothing about this.
        await delay(1_000);
        child.kill(signal);
        const [code, endedBy] = await ended;
        expect([130, signal]).toContain(endedBy ?? code);
      } finally {
        child.kill('SIGKILL');
      }
    },
  );

  it('ends on SIGTERM while it runs tests', async () => {
    const { child, seen, ended } = start('--watchAll', 'libs/rate-limit');
    try {
      await seen(/✓ start postgres/);
      child.kill('SIGTERM');
      expect(await ended).toEqual([130, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
