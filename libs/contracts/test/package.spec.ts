import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TOPOLOGY } from '../src';
import { compileTypeScript, ContractsCopy, emptyProject, npmInstall, runWell } from '@tandem/testing';

jest.setTimeout(300_000);

/** A program of another team, which uses the package. */
const CONSUMER = `
import { SALE_COMPLETED, type SaleCompleted, TOPOLOGY, validatorOf } from '@tandem/contracts';

declare const console: { log(text: string): void };

/** Returns the sum of a sale, in cents. */
const centsOf = ({ items }: SaleCompleted): number =>
  items.reduce((sum, { price, quantity }) => sum + Math.round(Number(price) * 100) * Number(quantity), 0);

// @ts-expect-error -- a misspelt field does not compile
export const misspelt = (sale: SaleCompleted): string => sale.partnerID;

const sale: SaleCompleted = SAMPLE;
const faults = validatorOf(SALE_COMPLETED)({ ...sale, currency: 5 });
console.log(JSON.stringify([SALE_COMPLETED.topic, TOPOLOGY.length, validatorOf(SALE_COMPLETED)(sale), faults, centsOf(sale)]));
`;

describe('the packed package, installed by another team', () => {
  const copy = new ContractsCopy();
  const project = emptyProject();
  const installed = path.join(project, 'node_modules/@tandem/contracts');
  const inProject = (file: string): string => path.join(project, file);
  const sample = readFileSync(path.join(__dirname, '../samples/sale.completed.json'), 'utf8');

  beforeAll(async () => {
    await npmInstall(project, await copy.pack());
    writeFileSync(inProject('consumer.ts'), CONSUMER.replace('SAMPLE', sample));
  });
  afterAll(() => {
    copy.remove();
    rmSync(project, { recursive: true, force: true });
  });

  it('contains sources, build, schemas, samples and the AsyncAPI document, and none of our tests and tools', () => {
    const names = ['LICENSE', 'README.md', 'asyncapi.json', 'dist', 'package.json', 'samples', 'schemas', 'src'];
    expect(readdirSync(installed).sort()).toEqual(names);
    expect(readdirSync(path.join(installed, 'schemas'))).toHaveLength(TOPOLOGY.length);
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /\.spec\.|compatibility|write\.|tsbuildinfo/.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'samples/sale.completed.json']));
  });

  it('has the license of the workspace', () => {
    const root = readFileSync(path.join(__dirname, '../../../LICENSE'), 'utf8');
    expect(readFileSync(path.join(installed, 'LICENSE'), 'utf8')).toBe(root);
  });

  it('installs no framework, no database driver and no other package of the workspace [events.installable]', () => {
    const packages = readdirSync(inProject('node_modules'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /^(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
      .map((file) => path.dirname(file));
    expect(
      packages.filter((name) => /nestjs|typeorm|^pg|kafka|fastify|rxjs|@tandem\/(?!contracts)/.test(name)),
    ).toEqual([]);
    expect(packages).toContain('@tandem/contracts');
  });

  it.each([
    ['node16', 'node16', 'CommonJS', 'consumer.js'],
    ['esnext', 'bundler', 'ES modules', 'consumer.mjs'],
  ])(
    'compiles in strict mode with module %s and moduleResolution %s, and runs as %s [events.installable]',
    async (module, resolution, _kind, file) => {
      const outDir = `out-${resolution}`;
      const options = { module, moduleResolution: resolution, target: 'es2022', lib: ['es2022'], types: [], outDir };
      // `skipLibCheck: false` also checks the package's own declarations, here without the types of Node.
      const strict = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
      };
      const config = { compilerOptions: { ...options, ...strict }, files: ['consumer.ts'] };
      writeFileSync(inProject(`tsconfig.${resolution}.json`), JSON.stringify(config));
      expect(await compileTypeScript(project, `tsconfig.${resolution}.json`)).toEqual({ code: 0, output: '' });

      cpSync(inProject(`${outDir}/consumer.js`), inProject(file));
      const output = await runWell(process.execPath, [file], project);
      expect(JSON.parse(output)).toEqual(['sale.completed', TOPOLOGY.length, null, ['currency (type)'], 9990]);
    },
  );

  it('exposes schemas, samples and the AsyncAPI document by path', async () => {
    const paths = [
      'schemas/sale.completed.schema.json',
      'samples/sale.completed.json',
      'asyncapi.json',
      'package.json',
    ];
    const script = `console.log(${JSON.stringify(paths)}.map((file) => typeof require('@tandem/contracts/' + file)).join())`;
    expect(await runWell(process.execPath, ['-e', script], project)).toBe('object,object,object,object\n');
  });
});
