import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '@tandem/testing';
import { versionOf } from '../src/upgrade/version';

const REPOSITORY = path.resolve(__dirname, '../../..');
const TYPESCRIPT = path.join(REPOSITORY, 'node_modules/@typescript');
const MAIN = 'apps/shop/src/main.ts';

describe('an earlier version of the platform', () => {
  let root: string;
  let told: string[];

  const git = (...args: string[]): string => {
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    return execFileSync('git', [...author, ...args], { cwd: root, encoding: 'utf8' }).trim();
  };
  const write = (files: Record<string, string>): void => {
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), text);
    }
  };
  const commit = (files: Record<string, string>): string => {
    write(files);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a version');
    return git('rev-parse', 'HEAD');
  };
  const prepare = (from: string | null = null) => versionOf(from, (line) => told.push(line), root);
  const prepared = (): string[] => fs.readdirSync(path.join(root, '.tandem/versions')).sort();
  const builtMain = (folder: string): string => fs.readFileSync(path.join(folder, 'apps/shop/dist/main.js'), 'utf8');

  /** Creates a repository with one app and three commits. The first commit is a release of the APIs. */
  beforeEach(() => {
    told = [];
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'versions-'));
    git('init', '--quiet');
    fs.mkdirSync(path.join(root, 'node_modules/@tandem'), { recursive: true });
    fs.symlinkSync(TYPESCRIPT, path.join(root, 'node_modules/@typescript'));
    const compilerOptions = { rootDir: 'src', outDir: 'dist', composite: true, types: [], skipLibCheck: true };
    commit({
      '.gitignore': 'node_modules\n.tandem\ndist\n',
      'package-lock.json': JSON.stringify({ packages: { 'node_modules/typescript': { version: '1' } } }),
      'apps/apps.js': `exports.APPS = [{ name: 'shop' }];`,
      'libs/README.md': '',
      'apps/shop/tsconfig.app.json': JSON.stringify({ compilerOptions, include: ['src'] }),
      'docs/openapi/released/shop.json': '{}',
      [MAIN]: `export const version = 'first';`,
    });
    commit({ [MAIN]: `export const version = 'second';` });
    commit({ [MAIN]: `export const version = 'third';` });
  });
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  it('is by default the last recorded release of the APIs if there are no tags, and is built only once', async () => {
    const { folder, apps } = await prepare();
    expect(apps).toEqual(['shop']);
    expect(builtMain(folder)).toMatch(/first/);
    expect(prepared()).toEqual([git('rev-parse', 'HEAD~2')]);
    expect(told.join()).toMatch(/build of the apps/);
    told = [];
    expect(await prepare()).toEqual({ folder, apps });
    expect(told.join()).not.toMatch(/build of the apps/);
  });

  it('is by default the newest tag of an app before HEAD if there are tags', async () => {
    git('tag', '@tandem/shop@0.1.0', 'HEAD~1');
    git('tag', '@tandem/shop@0.2.0');
    expect(builtMain((await prepare()).folder)).toMatch(/second/);
  });

  it('can be a checkout that is already built, which is then not changed', async () => {
    await expect(prepare(root)).rejects.toThrow(`shop is not built in ${root}: run npm run build there`);
    write({ 'apps/shop/dist/main.js': '' });
    expect(await prepare(root)).toEqual({ folder: root, apps: ['shop'] });
    expect(fs.existsSync(path.join(root, '.tandem'))).toBe(false);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'is prepared from the start if a preparation was interrupted by a %s',
    async (signal) => {
      const source = path.join(REPOSITORY, 'tools/chaos/src/upgrade/version.ts');
      const script = `require(${JSON.stringify(source)}).versionOf('HEAD~1', console.log, ${JSON.stringify(root)}).catch(() => process.exit(1))`;
      const child = spawn(
        process.execPath,
        ['--conditions=@tandem/source', '--require', '@swc-node/register', '-e', script],
        { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const exited = once(child, 'exit');
      let output = '';
      child.stdout.on('data', (chunk) => (output += String(chunk)));
      await eventually(() => expect(output).toMatch(/build of the apps/), { timeoutMs: 60_000, everyMs: 10 });
      child.kill(signal);
      expect((await exited)[0]).not.toBe(0);
      const second = git('rev-parse', 'HEAD~1');
      expect(prepared()).toEqual(signal === 'SIGKILL' ? [`${second}.${child.pid}`] : []);
      expect(builtMain((await prepare('HEAD~1')).folder)).toMatch(/second/);
      expect(prepared()).toEqual([second]);
    },
  );

  it('is not kept if it does not compile, and the error contains the message of the compiler', async () => {
    commit({ [MAIN]: `export const version: number = 'broken';` });
    commit({ [MAIN]: `export const version = 'fifth';` });
    await expect(prepare('HEAD~1')).rejects.toThrow(/build of the apps.* failed[^]*main\.ts.*TS2322/);
    expect(prepared()).toEqual([]);
  });

  it('is removed when three other versions were used later', async () => {
    commit({ [MAIN]: `export const version = 'fourth';` });
    commit({ [MAIN]: `export const version = 'fifth';` });
    for (const from of ['HEAD~4', 'HEAD~3', 'HEAD~2', 'HEAD~4', 'HEAD~1']) {
      const { folder } = await prepare(from);
      // Makes the other versions a second older, because the clock may not distinguish uses within a few milliseconds.
      for (const name of prepared()) {
        const used = path.join(root, '.tandem/versions', name);
        if (used !== folder) fs.utimesSync(used, new Date(), new Date(fs.statSync(used).mtimeMs - 1_000));
      }
    }
    expect(prepared()).toEqual(['HEAD~4', 'HEAD~2', 'HEAD~1'].map((each) => git('rev-parse', each)).sort());
  });

  it('is not found under an unknown revision, or in a checkout without history', async () => {
    await expect(prepare('no-such-tag')).rejects.toThrow(
      '--from: no-such-tag is neither a revision of Git nor the folder of a checkout',
    );
    fs.rmSync(path.join(root, '.git'), { recursive: true });
    await expect(prepare()).rejects.toThrow(/this checkout has no earlier commits: fetch its history/);
    git('init', '--quiet');
    commit({ [MAIN]: '' });
    await expect(prepare()).rejects.toThrow(/this checkout has no earlier commits: fetch its history/);
  });
});
