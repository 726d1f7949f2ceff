import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inRoot } from '../stack/paths.mjs';

describe('npm run restore in a checkout without node_modules', () => {
  const checkout = fs.mkdtempSync(path.join(os.tmpdir(), 'restore-'));
  afterAll(() => fs.rmSync(checkout, { recursive: true, force: true }));
  const filter = (/** @type {string} */ from) => !/\/(node_modules|dist|out-tsc)$/.test(from);
  for (const part of ['tools', 'apps/apps.js', 'package.json'])
    fs.cpSync(inRoot(part), path.join(checkout, part), { recursive: true, filter });
  const programs = path.join(checkout, 'programs');
  for (const folder of ['programs', 'libs', 'sdks', 'examples']) fs.mkdirSync(path.join(checkout, folder));
  fs.writeFileSync(path.join(programs, 'npm'), '#!/bin/sh\necho "npm $*" >&2; exit 1\n', { mode: 0o755 });

  const restore = (...args) =>
    spawnSync(process.execPath, [path.join(checkout, 'tools/backup/restore.mjs'), ...args], {
      env: { ...process.env, TANDEM_DIR: '', PATH: `${programs}${path.delimiter}${process.env.PATH}` },
      encoding: 'utf8',
    });

  it.each([
    ['everything', []],
    ['the rows of apps', ['--app', 'all', '--to', '2026-03-01T12:00:00Z']],
  ])('installs the packages before it restores %s, and changes nothing if the installation fails', (_, args) => {
    const { status, stderr } = restore(...args);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/npm ci [^]*npm ci failed\n$/)]);
    expect(fs.existsSync(path.join(checkout, '.tandem'))).toBe(false);
  });

  it.each([
    [['--app', 'all'], '--app needs --to'],
    [['--app', 'all', '--to', '2026-03-01T12:00:00Z', '--bus', 'x'], '--bus must be kafka or postgres, not "x"'],
    [['--bus', 'kafka'], '--from, --url and --bus need --app'],
  ])('installs nothing for the wrong arguments %j', (args, message) => {
    const { status, stderr } = restore(...args);
    expect([status, stderr.split('\n')[0]]).toEqual([2, message]);
  });

  it('prints its options for -h', () => {
    const { status, stdout } = restore('-h');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^npm run restore/)]);
  });
});
