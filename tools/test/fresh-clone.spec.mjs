import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { copyBuilt } from '../new/workspace-copy.mjs';
import { npm } from '../stack/install.mjs';

jest.setTimeout(600_000);

/** The commands that docs/commands.md lists after `docker compose up`, in the same order. */
describe('in a checkout without node_modules', () => {
  let clone;
  // The copy contains the build output, so that its build takes less time. CI builds a clean checkout.
  beforeAll(() => (clone = copyBuilt()));
  afterAll(() => fs.rmSync(clone, { recursive: true, force: true }));

  const run = (...args) => {
    // The commands find no stack: stack:info looks for Postgres at port 1, where nothing listens, and the demo reads the
    // copy's own .tandem, which has no stack.json.
    const env = { ...process.env, POSTGRES_PORT: '1', TANDEM_DIR: '', npm_config_prefer_offline: 'true' };
    return spawnSync(npm, args, { cwd: clone, env, encoding: 'utf8', shell: process.platform === 'win32' });
  };

  it('npm run stack:info installs and builds with a message for each, and then looks for the stack', () => {
    const { stdout, stderr } = run('run', 'stack:info');
    expect(stderr).toMatch(/installing what package-lock\.json lists/);
    expect(stdout).toMatch(/✓ build/);
    expect(stdout).toMatch(/✗ running/);
    expect(stderr).toMatch(/Postgres does not answer at .*ECONNREFUSED/);
  });

  it('npm run demo then installs nothing, and looks for the stack', () => {
    const { stderr } = run('run', 'demo');
    expect(stderr).toMatch(/no stack runs here/);
    expect(stderr).not.toMatch(/installing/);
  });
});
