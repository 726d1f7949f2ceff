import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { copyWorkspace } from '../new/workspace-copy.mjs';
import { inRoot } from '../stack/paths.mjs';

// The test builds and starts the platform first, which takes long on a machine that runs other tests.
jest.setTimeout(900_000);

const APP = 'partner-gateway';

/**
 * The earlier version is a copy of this checkout. It lacks the last migration of idp-support, and its partner-gateway records each start in
 * a file.
 */
describe('npm run chaos -- --upgrade', () => {
  let earlier;
  beforeAll(() => {
    earlier = copyWorkspace();
    fs.appendFileSync(
      path.join(earlier, 'apps/idp-support/dist/migrations/index.js'),
      '\nexports.SCHEMA.migrations.pop();',
    );
    const main = path.join(earlier, 'apps', APP, 'dist/main.js');
    const record = `require('node:fs').appendFileSync(__dirname + '/starts', 'started\\n');\n`;
    fs.writeFileSync(main, record + fs.readFileSync(main, 'utf8'));
  });
  afterAll(() => fs.rmSync(earlier, { recursive: true, force: true }));

  const NOTHING_LOST = {
    'lost sales': 0,
    'lost postbacks': 0,
    'acted on twice': 0,
    'unknown postbacks': 0,
    'dead letters': 0,
    'replicas that crashed': 0,
    'users of the vendor without a profile': 0,
  };
  /** Reads the counts that the command printed. */
  const countsIn = (output) => {
    const count = (what) => Number(new RegExp(`^${what} +(\\d+)`, 'm').exec(output)?.[1]);
    const lost = Object.keys(NOTHING_LOST).map((what) => [what, count(what)]);
    return { failed: count('requests that failed'), ...Object.fromEntries(lost) };
  };
  /** Reads the number of requests of each operation, and how many failed. */
  const operationsIn = (output) => {
    const [, rows] = /^operation +requests +failed\s+[- ]+\n([^]+?)\n\n/m.exec(output);
    return rows.split('\n').map((row) => {
      const [, name, requests, failures] = /^(.+?) {2,}(\d+) +(\d+)/.exec(row);
      return { name, requests: Number(requests), failures: Number(failures) };
    });
  };

  /** Runs the command as `npm run` does, with a low load, so that few requests fail on a busy machine. */
  const run = async (...options) => {
    const light = ['--replicas', '1', '--rate', '2', '--users', '0.1', '--every', '1000'];
    const child = spawn(
      process.execPath,
      [inRoot('tools/stack/run-built.mjs'), 'tools/chaos/dist/main.js', '--upgrade', '--bus', 'postgres'].concat(
        light,
        options,
      ),
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    const [, kept] = /^logs and data are kept in (.*)$/m.exec(output) ?? [];
    if (kept) fs.rmSync(kept, { recursive: true, force: true });
    return { code, output };
  };

  it('migrates, moves an app to this version, back, and to this version again, and loses nothing [replicas.upgrade]', async () => {
    const { code, output } = await run('--from', earlier, '--only', APP);
    expect(output).toMatch(/migration: 1 migration\b/);
    const steps = output.match(new RegExp(`^${APP} +(this|earlier) version .*$`, 'gm')) ?? [];
    expect(steps.map((line) => line.split(/ +/)[1])).toEqual(['this', 'earlier', 'this']);
    // Two starts: the first replica, and the replica after the step back to the earlier version.
    expect(fs.readFileSync(path.join(earlier, 'apps', APP, 'dist/starts'), 'utf8')).toBe('started\nstarted\n');
    const { failed, ...counts } = countsIn(output);
    expect(counts).toEqual(NOTHING_LOST);
    // While other tests use the whole processor, single requests may time out with 503. With an incompatible version, most requests of an
    // operation would fail.
    for (const { name, requests, failures } of operationsIn(output))
      expect([name, failures < requests / 2]).toEqual([name, true]);
    expect([code, output]).toEqual(
      failed === 0 ? [0, expect.stringMatching(/^chaos passed$/m)] : [1, expect.stringMatching(/^chaos FAILED$/m)],
    );
  });

  it('refuses an unknown app, an app that only one version has, and a version that is neither a revision nor a folder', async () => {
    expect(await run('--from', earlier, '--only', 'no-such-app')).toMatchObject({
      code: 2,
      output: expect.stringMatching(/--only: no process is named "no-such-app"/),
    });
    const apps = path.join(earlier, 'apps/apps.js');
    fs.appendFileSync(apps, `\nmodule.exports.APPS = module.exports.APPS.filter(({ name }) => name !== '${APP}');`);
    expect(await run('--from', earlier, '--only', APP)).toMatchObject({
      code: 2,
      output: expect.stringMatching(/--only: "partner-gateway" is not an app of both versions/),
    });
    expect(await run('--from', 'no-such-tag')).toMatchObject({
      code: 2,
      output: expect.stringMatching(/--from: no-such-tag is neither a revision of Git nor the folder of a checkout/),
    });
  });
});
