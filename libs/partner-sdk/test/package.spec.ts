import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { VERSION } from '../src/version';

const ROOT = path.resolve(__dirname, '../../..');
const LIB = path.resolve(__dirname, '..');
const MAX_BYTES = 30_000;
const manifest = JSON.parse(readFileSync(path.join(LIB, 'package.json'), 'utf8')) as Record<string, unknown>;

/** The package as npm installs it: only what it publishes, compiled. */
describe('@tandem/partner', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'partner-sdk-'));
  const installed = path.join(folder, 'node_modules/@tandem/partner');
  beforeAll(() => {
    const projects = ['lib', 'esm'].map((kind) => `libs/partner-sdk/tsconfig.${kind}.json`);
    execFileSync(process.execPath, [path.join(ROOT, 'tools/stack/build.mjs'), ...projects], { cwd: ROOT });
    for (const part of ['package.json', 'dist', 'esm'])
      cpSync(path.join(LIB, part), path.join(installed, part), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const output = (file: string, text: string): string => {
    writeFileSync(path.join(folder, file), text);
    return execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' }).trim();
  };
  const WORK = `
    const tandem = new Tandem({ token: 'ptk_test_x', baseUrl: 'https://api.example.com', fetch: async () => Response.json({ id: 'ptn_1' }) });
    tandem.account.get().then((account) => console.log(account.id, new NotFoundError('x', { code: 'y' }).name));`;

  it('is imported by an ES module and required by a CommonJS module', () => {
    const names = '{ Tandem, NotFoundError }';
    expect(output('a.mjs', `import ${names} from '@tandem/partner';${WORK}`)).toBe('ptn_1 NotFoundError');
    expect(output('b.cjs', `const ${names} = require('@tandem/partner');${WORK}`)).toBe('ptn_1 NotFoundError');
  });

  it('has types for both, which refuse a status that does not exist', () => {
    const text = `
      import { Tandem, type Sale } from '@tandem/partner';
      const tandem = new Tandem({ token: 'x', baseUrl: 'https://api.example.com' });
      export const sales = (): AsyncIterable<Sale> => tandem.sales.list({ status: 'held', from: new Date() });
      // @ts-expect-error
      tandem.sales.list({ status: 'nonsense' });`;
    for (const file of ['c.mts', 'd.cts']) writeFileSync(path.join(folder, file), text);
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--module', 'nodenext'];
    const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules/@types')];
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, ...options, ...types, 'c.mts', 'd.cts'], { cwd: folder });
  });

  it('imports nothing: no package, and no module of Node', () => {
    const files = readdirSync(path.join(installed, 'esm/dist'), { recursive: true, encoding: 'utf8' });
    const scripts = files.filter((file) => file.endsWith('.js'));
    const imports = scripts.flatMap((file) => [
      ...readFileSync(path.join(installed, 'esm/dist', file), 'utf8').matchAll(/\bfrom ['"]([^'"]+)['"]/g),
    ]);
    expect(scripts.length).toBeGreaterThan(10);
    expect(imports.map(([, name]) => name).filter((name) => !name?.startsWith('.'))).toEqual([]);
    expect(manifest['dependencies']).toBeUndefined();
  });

  it(`is at most ${MAX_BYTES} bytes, minified`, async () => {
    const bundler = path.join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
    const entry = path.join(installed, 'esm/dist/index.js');
    if (!existsSync(bundler)) {
      const files = readdirSync(path.join(installed, 'esm/dist'), { recursive: true, encoding: 'utf8' });
      const texts = files.filter((file) => file.endsWith('.js')).map((file) => path.join(installed, 'esm/dist', file));
      expect(gzipSync(texts.map((file) => readFileSync(file, 'utf8')).join('\n')).length).toBeLessThan(MAX_BYTES / 2);
      return;
    }
    execFileSync(process.execPath, [bundler, entry, '--minify', '--file', path.join(folder, 'min.js')], {
      cwd: folder,
    });
    const { length } = readFileSync(path.join(folder, 'min.js'));
    expect(length).toBeGreaterThan(5000);
    expect(length).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('sends its version', () => {
    expect(VERSION).toBe(manifest['version']);
  });
});
