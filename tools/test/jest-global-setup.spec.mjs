import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { inRoot, ROOT } from '../stack/paths.mjs';

describe('Jest in watch mode, with the servers of its globalSetup', () => {
  it.each(/** @type {const} */ (['SIGTERM', 'SIGINT']))('ends on %s between two runs', async (signal) => {
    const args = [inRoot('node_modules/jest/bin/jest.js'), '--watchAll', 'tools/options'];
    const env = { ...process.env, DATABASE_URL: undefined, npm_lifecycle_event: undefined };
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const exited = once(child, 'exit');
    try {
      let output = '';
      for await (const text of child.stderr.setEncoding('utf8')) {
        output += text;
        // The last line of a run.
        if (output.includes('Ran all test suites')) break;
      }
      expect(output).toMatch(/Tests: +\d+ passed/);
      // Until then, the teardown of the servers has ended. Jest prints nothing about it.
      await delay(1_000);
      child.kill(signal);
      const [code, endedBy] = await exited;
      expect([130, signal]).toContain(endedBy ?? code);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
