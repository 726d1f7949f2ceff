import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { copyWorkspace } from '../new/workspace-copy.mjs';
import { inRoot, readJson } from './paths.mjs';

jest.setTimeout(240_000);

const SALES = 'libs/contracts/src/events/sale.ts';
const QUALIFIED_AT = '  @IsISO8601({ strict: true })\n  qualifiedAt!: string;\n';

describe('in a copy of the workspace, a built program', () => {
  let copy;
  beforeAll(() => (copy = copyWorkspace()));
  afterAll(() => fs.rmSync(copy, { recursive: true, force: true }));

  it('of a lib runs even when apps do not compile: npm run contracts -- check names a removed field', () => {
    const file = path.join(copy, SALES);
    const text = fs.readFileSync(file, 'utf8');
    expect(text).toContain(QUALIFIED_AT);
    fs.writeFileSync(file, text.replace(QUALIFIED_AT, ''));

    const [program, ...args] = readJson(inRoot('package.json')).scripts.contracts.split(' ');
    expect(program).toBe('node');
    const { status, stderr } = spawnSync(process.execPath, [...args, 'check'], { cwd: copy, encoding: 'utf8' });
    expect(stderr).toMatch(/sale\.completed, field "qualifiedAt": it was removed \[field-removed\]/);
    expect(status).toBe(1);
  });

  it('names lines of the TypeScript sources when it fails', () => {
    fs.writeFileSync(path.join(copy, 'libs/contracts/src/failing.ts'), "\n\nthrow new Error('here');\n");
    const args = ['tools/stack/run-built.mjs', 'libs/contracts/dist/failing.js'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
    expect(stderr).toMatch(/Error: here\n.*libs\/contracts\/src\/failing\.ts:3/);
    expect(status).toBe(1);
  });
});

describe('in a checkout without packages and without a build', () => {
  let checkout;
  beforeAll(() => {
    checkout = fs.mkdtempSync(path.join(os.tmpdir(), 'checkout-'));
    const isSource = (file) => !/[\\/](node_modules|dist|out-tsc)$/.test(file);
    for (const group of ['libs', 'sdks', 'examples']) fs.mkdirSync(path.join(checkout, group));
    for (const name of ['package.json', 'package-lock.json', 'apps/apps.js', 'tools'])
      fs.cpSync(inRoot(name), path.join(checkout, name), { recursive: true, filter: isSource });
  });
  afterAll(() => fs.rmSync(checkout, { recursive: true, force: true }));

  /** Runs the command of a script of package.json. Without a PATH, the command finds no npm, so it fails when it tries to install. */
  function run(script, ...given) {
    const [program, ...args] = readJson(inRoot('package.json')).scripts[script].split(' ');
    expect(program).toBe('node');
    const env = { ...process.env, PATH: checkout, TANDEM_DIR: '' };
    return spawnSync(process.execPath, [...args, ...given], { cwd: checkout, env, encoding: 'utf8' });
  }

  it.each([
    ['chaos', ['--fault', '5'], "Unknown option '--fault'"],
    ['chaos', ['--faults', '5', '--faults', '6'], '--faults is given twice'],
    ['chaos', ['--rolling', '--write'], '--write has no effect with --rolling'],
    ['fuzz', ['--requests', 'many'], '--requests must be a whole number'],
    ['bench', ['chains'], 'the first argument is a suite (chain, '],
    ['bench', ['chain', '--only', 'x'], '--only names parts of the suite (p1, '],
    ['bench', ['delivery', '--profile', 'here'], '--profile has no effect in the suite delivery'],
    ['backup', ['--keep', 'all'], '--keep must be a whole number'],
    ['restore', ['--too', 'late'], "Unknown option '--too'"],
    ['restore', ['--app', 'partner-gateway'], '--app needs --to'],
  ])('npm run %s refuses the arguments %p, and installs nothing', (script, given, message) => {
    const { status, stderr } = run(script, ...given);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/installing|cannot find/i);
    expect(status).toBe(2);
  });

  it.each(['chaos', 'fuzz', 'bench', 'backup', 'restore'])('npm run %s -- --help lists the options', (script) => {
    const { status, stdout, stderr } = run(script, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('--');
  });
});
