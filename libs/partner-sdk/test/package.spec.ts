import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compileTypeScript, emptyProject, npmInstall, runWell } from '@tandem/testing';
import { API_VERSION, VERSION } from '../src/version';
import { PRINTED, runGuideProgram } from './guide-program';
import { SdkCopy } from './packed-sdk';

jest.setTimeout(300_000);

const ROOT = path.resolve(__dirname, '../../..');
const MAX_BYTES = 30_000;
const readJson = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as Record<string, unknown>;
const manifest = readJson('libs/partner-sdk/package.json');

/** The package as a partner installs it: its tarball, in an empty folder. */
describe('@tandem/partner', () => {
  const copy = new SdkCopy();
  const folder = emptyProject();
  const installed = path.join(folder, 'node_modules/@tandem/partner');
  const tarballs: string[] = [];
  beforeAll(async () => {
    for (const left of ['dist', 'esm/dist', 'src/generated']) copy.write(`${left}/left.js`, 'throw new Error();');
    copy.write('src/generated/partner-api.ts', 'export interface operations {}\nexport interface components {}');
    tarballs.push(await copy.pack('first'), await copy.pack('second'));
    await npmInstall(folder, tarballs[0] ?? '');
  });
  afterAll(() => {
    copy.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const filesOf = (at: string): string[] =>
    readdirSync(path.join(installed, at), { recursive: true, encoding: 'utf8' });
  const output = (file: string, text: string): Promise<string> => {
    writeFileSync(path.join(folder, file), text);
    return runWell(process.execPath, [file], folder);
  };
  const WORK = `
    const tandem = new Tandem({ token: 'ptk_test_x', baseUrl: 'https://api.example.com', fetch: async () => Response.json({ id: 'ptn_1' }) });
    tandem.account.get().then((account) => console.log(account.id, new NotFoundError('x', { code: 'y' }).name));`;

  it('is identical byte for byte each time it is packed', () => {
    const [first, second] = tarballs.map((file) => readFileSync(file));
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
  });

  it('contains nothing of an earlier build, and none of our tests', () => {
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'esm', 'package.json']);
    expect(filesOf('.').filter((file) => /left\.js|\.spec\.|tsbuildinfo/.test(file))).toEqual([]);
    expect(filesOf('.')).toEqual(
      expect.arrayContaining(['dist/libs/partner-sdk/src/index.d.ts', 'esm/dist/libs/partner-sdk/src/index.js']),
    );
    expect(manifest['dependencies']).toBeUndefined();
  });

  it('passes tools/sdks/runtimes.mjs on this Node when it is installed', async () => {
    const script = path.join(ROOT, 'tools/sdks/runtimes.mjs');
    expect(await runWell(process.execPath, [script, 'node', '--installed', folder], ROOT)).toMatch(/^node +passed/);
  });

  it('can be imported by an ES module and required by a CommonJS module', async () => {
    const names = '{ Tandem, NotFoundError }';
    expect(await output('a.mjs', `import ${names} from '@tandem/partner';${WORK}`)).toBe('ptn_1 NotFoundError\n');
    expect(await output('b.cjs', `const ${names} = require('@tandem/partner');${WORK}`)).toBe('ptn_1 NotFoundError\n');
  });

  it.each([
    ['node16', 'node16', ['c.cts', 'c.mts'], ['es2022']],
    ['esnext', 'bundler', ['c.ts'], ['es2022', 'dom', 'dom.iterable']],
  ])('has strict types for module %s and moduleResolution %s in %j', async (module, resolution, files, lib) => {
    const text = `
      import { expressHandler, MemoryStore, Tandem, type Sale } from '@tandem/partner';
      const tandem = new Tandem({ token: 'x', baseUrl: 'https://api.example.com' });
      export const sales = (): AsyncIterable<Sale> => tandem.sales.list({ status: 'held', from: new Date() });
      export const handler = expressHandler({ secrets: 'whsec_', store: new MemoryStore(), onSale: ({ oid }) => void oid });
      // @ts-expect-error
      tandem.sales.list({ status: 'nonsense' });`;
    for (const file of files) writeFileSync(path.join(folder, file), text);
    // Without the DOM, the types of fetch come from those of Node.
    const types = lib.includes('dom') ? [] : ['node'];
    const options = { module, moduleResolution: resolution, target: 'es2022', lib, types, noEmit: true };
    const typeRoots = [path.join(ROOT, 'node_modules/@types')];
    const strict = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    };
    const config = `tsconfig.${resolution}.json`;
    const compilerOptions = { ...options, ...strict, typeRoots };
    writeFileSync(path.join(folder, config), JSON.stringify({ compilerOptions, files }));
    expect(await compileTypeScript(folder, config)).toEqual({ code: 0, output: '' });
  });

  it('has samples that compile with strict types, in the README and in the partner guide', async () => {
    const declared = `
      declare const app: { post(path: string, listener: import('node:http').RequestListener): void };
      declare const { store, onSale }: import('@tandem/partner').PostbackHandlerOptions;
    `;
    const texts = ['libs/partner-sdk/README.md', 'docs/partner-guide.md'].flatMap((page) =>
      [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text = '']) => text),
    );
    const samples = texts.filter((text) => text.includes("from '@tandem/partner'"));
    expect(samples).toHaveLength(3);
    const files = samples.map((_text, index) => `sample-${index}.ts`);
    for (const [index, file] of files.entries()) writeFileSync(path.join(folder, file), declared + samples[index]);
    const typeRoots = [path.join(ROOT, 'node_modules/@types')];
    const options = { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', types: ['node'], typeRoots };
    const compilerOptions = { ...options, strict: true, noEmit: true };
    writeFileSync(path.join(folder, 'tsconfig.samples.json'), JSON.stringify({ compilerOptions, files }));
    expect(await compileTypeScript(folder, 'tsconfig.samples.json')).toEqual({ code: 0, output: '' });
  });

  it('has a program in the partner guide that Node runs unchanged', async () => {
    const program = { command: process.execPath, file: 'app.mjs', folder };
    expect(await runGuideProgram('ts', program)).toBe(PRINTED);
  });

  it('has the command tandem-partner, which runs without any other package', async () => {
    const command = path.join(installed, 'bin/tandem-partner.mjs');
    expect(manifest['bin']).toEqual({ 'tandem-partner': './bin/tandem-partner.mjs' });
    expect(await runWell(process.execPath, [command, '--help'], folder)).toMatch(/^npx @tandem\/partner listen --to/);
    const secret = await runWell(
      process.execPath,
      [command, 'listen', '--token', 'ptk_test_x', '--print-secret'],
      folder,
    );
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
    const use = 'console.log(typeof runListen);';
    expect(await output('e.mjs', `import { runListen } from '@tandem/partner/listen'; ${use}`)).toBe('function\n');
    expect(await output('f.cjs', `const { runListen } = require('@tandem/partner/listen'); ${use}`)).toBe('function\n');
  });

  it('has ES modules that import no package and no module of Node', () => {
    const scripts = filesOf('esm/dist').filter((file) => file.endsWith('.js'));
    const imports = scripts.flatMap((file) => [
      ...readFileSync(path.join(installed, 'esm/dist', file), 'utf8').matchAll(/\bfrom ['"]([^'"]+)['"]/g),
    ]);
    expect(scripts.length).toBeGreaterThan(10);
    expect(imports.map(([, name]) => name).filter((name) => !name?.startsWith('.'))).toEqual([]);
  });

  it(`is at most ${MAX_BYTES} bytes, minified`, () => {
    const bundler = path.join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
    const entry = path.join(installed, 'esm/dist/libs/partner-sdk/src/index.js');
    execFileSync(process.execPath, [bundler, entry, '--minify', '--file', path.join(folder, 'min.js')], {
      cwd: folder,
    });
    const { length } = readFileSync(path.join(folder, 'min.js'));
    expect(length).toBeGreaterThan(5000);
    expect(length).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('names the version of its package.json, and the last release of the API', () => {
    expect(VERSION).toBe(manifest['version']);
    expect(API_VERSION).toBe(readJson('docs/openapi/released/partner-api.json')['version']);
  });
});
