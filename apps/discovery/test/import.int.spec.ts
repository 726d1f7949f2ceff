import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CatalogLocation } from '../src/catalog/catalog.repository';
import { CatalogChangedError, TooManyRemovalsError } from '../src/catalog-import/catalog-import.errors';
import { runCommand, UsageError } from '../src/catalog-import/import-command';
import { seedCatalog } from '../src/seed';
import { Discovery, endpointOf, locationOf } from './discovery';

const SEED = path.join(__dirname, '../seed/locations.json');
const NEW_YORK = locationOf('us-nyc', {
  endpoints: [
    endpointOf('nyc-1.example.com', {
      ip: { v4: '192.0.2.10', v6: '2001:db8::10' },
      mtu: 1350,
      auth_ip: '2001:db8::11',
    }),
    endpointOf('nyc-2.example.com', { type: 'openvpn', auth_port: 8443, obfuscation: 'xor' }),
  ],
});
const LONDON = locationOf('uk-lon', { popularity_order: 2, test_ips: [] });

let discovery: Discovery;
let folder: string;

beforeAll(async () => {
  discovery = await Discovery.start();
  folder = await mkdtemp(path.join(tmpdir(), 'discovery-import-'));
});
afterAll(async () => {
  await discovery.stop();
  await rm(folder, { recursive: true });
});

const fileOf = (...locations: readonly object[]): string => JSON.stringify({ locations });
const served = async (): Promise<string[]> =>
  (await discovery.ask()).body.locations.map(({ id }: CatalogLocation) => id);
const exported = (): Promise<string> => discovery.withImport((catalog) => catalog.exportFile());

/**
 * Runs the command `import`. Without `answers`, the command has no terminal.
 * @param file the content of the file
 * @param answers the answers to the command's questions, in order
 * @returns the lines that the command printed
 */
async function run(file: string, options: readonly string[], ...answers: string[]): Promise<string[]> {
  const name = path.join(folder, 'catalog.json');
  await writeFile(name, file);
  let printed = '';
  const print = (text: string): void => void (printed += text);
  const ask = answers.length > 0 ? async (): Promise<string> => answers.shift() ?? '' : undefined;
  await discovery.withImport((catalog) => runCommand(['import', name, ...options], catalog, { print, ask }));
  await discovery.follow();
  return printed.trimEnd().split('\n');
}

describe('the catalog command', () => {
  beforeEach(() => discovery.serve(NEW_YORK, LONDON));

  it('shows the changes, and applies them with --yes [discovery.import, discovery.import-diff]', async () => {
    const [first, second] = NEW_YORK.endpoints;
    const file = fileOf(locationOf('fr-par', { popularity_order: 3 }), {
      ...NEW_YORK,
      name: 'Manhattan',
      test_ips: [],
      endpoints: [second, { ...first, port: 444 }],
    });
    const lines = await run(file, ['--yes']);
    expect(lines).toEqual([
      'locations: 2 → 2 (1 added, 1 changed, 1 removed)',
      'endpoints: 3 → 3 (2 added, 2 removed)',
      '+ fr-par Location fr-par: endpoints: 1 added',
      '- uk-lon Location uk-lon: endpoints: 1 removed',
      '~ us-nyc Manhattan: name, test_ips; endpoints: 1 added, 1 removed',
      'imported',
    ]);
    expect(await served()).toEqual(['us-nyc', 'fr-par']);
  });

  it('reports that an endpoint has changed, and that the order of the endpoints has changed [discovery.import-diff]', async () => {
    const [first, second] = NEW_YORK.endpoints;
    const file = fileOf({ ...NEW_YORK, endpoints: [{ ...second, mtu: 1400 }, first] }, LONDON);
    expect(await run(file, ['--dry-run'])).toEqual([
      'locations: 2 → 2 (1 changed)',
      'endpoints: 3 → 3 (1 changed)',
      '~ us-nyc Location us-nyc: endpoints: 1 changed; endpoints in another order',
    ]);
  });

  it('imports after the answer y to its question, but not after an empty answer or no, and not with --dry-run [discovery.import-confirm]', async () => {
    const file = fileOf(NEW_YORK, LONDON, locationOf('fr-par', { popularity_order: 3 }));
    await run(file, ['--dry-run']);
    expect((await run(file, [], '')).at(-1)).toBe('nothing was imported');
    expect((await run(file, [], 'no')).at(-1)).toBe('nothing was imported');
    expect(await served()).toEqual(['us-nyc', 'uk-lon']);
    expect((await run(file, [], 'y')).at(-1)).toBe('imported');
    expect(await served()).toEqual(['us-nyc', 'uk-lon', 'fr-par']);
  });

  it('requires --yes or --dry-run when there is no terminal [discovery.import-confirm]', async () => {
    await expect(run(fileOf(NEW_YORK), [])).rejects.toThrow(UsageError);
  });

  it('changes nothing when the file differs from the catalog only in the notation of addresses [discovery.import]', async () => {
    const [version] = await discovery.database.query('select version from discovery.catalog_version');
    const [first, second] = NEW_YORK.endpoints;
    const same = { ...first, ip: { v6: '2001:DB8:0:0::0010', v4: '192.0.2.10' }, auth_ip: '2001:0db8::11' };
    const lines = await run(fileOf(LONDON, { ...NEW_YORK, endpoints: [same, second] }), ['--yes']);
    expect(lines).toEqual(['locations: 2 → 2 (nothing changed)', 'endpoints: 3 → 3 (nothing changed)']);
    expect(await discovery.database.query('select version from discovery.catalog_version')).toEqual([version]);
  });

  it('needs --allow-removals to remove most locations or to reduce the number of endpoints by over half [discovery.import-removals]', async () => {
    await discovery.serve(NEW_YORK, LONDON, locationOf('fr-par', { popularity_order: 3 }));
    await expect(run(fileOf(NEW_YORK), ['--yes'])).rejects.toThrow(TooManyRemovalsError);
    await expect(run(fileOf(), ['--yes'])).rejects.toThrow(TooManyRemovalsError);
    const stripped = { ...NEW_YORK, endpoints: [] };
    await expect(run(fileOf(stripped, LONDON), ['--yes'])).rejects.toThrow(TooManyRemovalsError);
    expect(await served()).toEqual(['us-nyc', 'uk-lon', 'fr-par']);
    await run(fileOf(NEW_YORK), ['--yes', '--allow-removals']);
    expect(await served()).toEqual(['us-nyc']);
  });

  it('carries out only one of four imports that were compared with the same catalog [discovery.import-concurrency]', async () => {
    const files = ['fr-par', 'es-mad', 'it-rom', 'pt-lis'].map((id) => fileOf(NEW_YORK, LONDON, locationOf(id)));
    const outcomes = await Promise.allSettled(
      files.map((file) =>
        discovery.withImport(async (catalog) => {
          const planned = await catalog.planImport(file);
          await new Promise((resolve) => setTimeout(resolve, 300));
          await planned.apply(false);
        }),
      ),
    );
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(failures).toHaveLength(3);
    for (const failure of failures) expect(failure).toBeInstanceOf(CatalogChangedError);
    await discovery.follow();
    expect(await served()).toHaveLength(3);
  });

  it('imports nothing when the catalog was changed by hand since the comparison [discovery.import-concurrency]', async () => {
    const outcome = discovery.withImport(async (catalog) => {
      const planned = await catalog.planImport(fileOf(NEW_YORK, LONDON, locationOf('fr-par')));
      await discovery.database.query(`update discovery.location set name = 'By hand' where id = 'uk-lon'`);
      await planned.apply(false);
    });
    await expect(outcome).rejects.toThrow('the catalog has changed since it was compared, so nothing was imported');
    expect(await exported()).toContain('By hand');
  });

  it('exports a file whose import changes nothing [discovery.export]', async () => {
    const text = await exported();
    expect(JSON.parse(text)).toEqual({ locations: [NEW_YORK, LONDON] });
    expect((await run(text, ['--yes']))[0]).toBe('locations: 2 → 2 (nothing changed)');
  });

  it('exports to the file that the command line names [discovery.export]', async () => {
    const name = path.join(folder, 'exported.json');
    let printed = '';
    await discovery.withImport((catalog) =>
      runCommand(['export', name], catalog, { print: (text) => void (printed += text) }),
    );
    expect(printed).toBe(`exported to ${name}\n`);
    expect(await readFile(name, 'utf8')).toBe(await exported());
  });

  it('imports a catalog of 3,000 instances [discovery.import]', async () => {
    const locations = Array.from({ length: 100 }, (_, place) =>
      locationOf(`loc-${place}`, {
        popularity_order: place + 1,
        endpoints: Array.from({ length: 30 }, (__, index) => endpointOf(`${place}-${index}.example.com`)),
      }),
    );
    const lines = await run(fileOf(...locations), ['--yes', '--allow-removals']);
    expect(lines[1]).toBe('endpoints: 3 → 3000 (3000 added, 3 removed)');
    expect(lines).toContain('… and 62 more locations');
    expect((await discovery.ask('/loc-99/instances')).body.endpoints).toEqual(locations[99]?.endpoints);
  });
});

describe('the command-line program', () => {
  const program = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string }> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [
          '--conditions=@tandem/source',
          '-r',
          '@swc-node/register',
          path.join(__dirname, '../src/catalog-command.ts'),
          ...args,
        ],
        { env: { ...process.env, DATABASE_URL: discovery.database.urlFor('discovery'), ...env } },
        (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
      );
      child.stdin?.end();
    });

  it('imports a file, and reports errors by its exit code [discovery.import]', async () => {
    await discovery.serve();
    const imported = await program(['import', SEED, '--yes']);
    expect([imported.code, imported.output.split('\n').at(-2)]).toEqual([0, 'imported']);
    const wrong = await program(['import', SEED]);
    expect([wrong.code, wrong.output]).toEqual([2, expect.stringContaining('give --yes or --dry-run')]);
    const missing = await program(['import', path.join(folder, 'missing.json'), '--yes']);
    expect([missing.code, missing.output]).toEqual([1, expect.stringContaining('ENOENT')]);
  }, 60_000);
});

describe('the seed', () => {
  it('has the format of an export [discovery.export]', async () => {
    await discovery.serve();
    await discovery.withImport(seedCatalog);
    expect(JSON.parse(await exported())).toEqual(JSON.parse(await readFile(SEED, 'utf8')));
  });

  it('fills an empty catalog, and does not change a catalog that has locations', async () => {
    await discovery.serve();
    await discovery.withImport(seedCatalog);
    const samples = JSON.parse(await exported()).locations;
    expect(samples.length).toBeGreaterThan(4);
    await discovery.serve(NEW_YORK);
    await discovery.withImport(seedCatalog);
    expect(JSON.parse(await exported()).locations).toEqual([NEW_YORK]);
  });
});
