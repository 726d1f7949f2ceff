import path from 'node:path';
import { InstalledPackage, MAX_BYTES } from '../../../sdks/typescript/testing/installed-package';
import { VERSION } from '../src/version';

const TYPES = path.resolve(__dirname, '../../../node_modules/@types');

describe('@tandem/partner', () => {
  const sdk = new InstalledPackage('partner-sdk');
  beforeAll(() => sdk.install());
  afterAll(() => sdk.remove());

  const WORK = `
    const tandem = new Tandem({ token: 'ptk_test_x', baseUrl: 'https://api.example.com', fetch: async () => Response.json({ id: 'ptn_1' }) });
    tandem.account.get().then((account) => console.log(account.id, new NotFoundError('x', { code: 'y' }).name));`;

  it('is imported by an ES module and required by a CommonJS module', () => {
    const names = '{ Tandem, NotFoundError }';
    expect(sdk.outputOf('a.mjs', `import ${names} from '@tandem/partner';${WORK}`)).toBe('ptn_1 NotFoundError');
    expect(sdk.outputOf('b.cjs', `const ${names} = require('@tandem/partner');${WORK}`)).toBe('ptn_1 NotFoundError');
  });

  it('has types for both, which refuse a status that does not exist', () => {
    const text = `
      import { Tandem, type Sale } from '@tandem/partner';
      const tandem = new Tandem({ token: 'x', baseUrl: 'https://api.example.com' });
      export const sales = (): AsyncIterable<Sale> => tandem.sales.list({ status: 'held', from: new Date() });
      // @ts-expect-error
      tandem.sales.list({ status: 'nonsense' });`;
    const types = ['--types', 'node', '--typeRoots', TYPES];
    sdk.compile(['c.mts', 'd.cts'], text, ['--lib', 'es2022', '--module', 'nodenext', ...types]);
  });

  it('has the command tandem-partner, which runs without any other package', () => {
    expect(sdk.run('tandem-partner', '--help')).toMatch(/^tandem-partner listen --to/);
    const secret = sdk.run('tandem-partner', 'listen', '--token', 'ptk_test_x', '--print-secret');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const use = 'console.log(typeof runListen);';
    expect([
      sdk.outputOf('e.mjs', `import { runListen } from '@tandem/partner/listen'; ${use}`),
      sdk.outputOf('f.cjs', `const { runListen } = require('@tandem/partner/listen'); ${use}`),
    ]).toEqual(['function', 'function']);
  });

  it('imports nothing: no package, and no module of Node', () => {
    expect(sdk.scripts().length).toBeGreaterThan(10);
    expect(sdk.imports()).toEqual([]);
    expect(sdk.manifest.dependencies).toBeUndefined();
  });

  it(`is at most ${MAX_BYTES} bytes, minified`, () => {
    const size = sdk.size();
    expect(size).toBeGreaterThan(5000);
    expect(size).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('sends its version', () => {
    expect(VERSION).toBe(sdk.manifest.version);
  });
});
