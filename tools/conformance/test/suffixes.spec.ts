import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const MOST = 20;
/** File names that a tool prescribes. */
const NAMES_OF_TOOLS = ['vite.config.ts'];

/** Returns the suffixes in the table "Suffixes in use" of CONTRIBUTING.md. */
function listed(): string[] {
  const [, table = ''] = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').split('### Suffixes in use');
  const cells = table.split('\n### ')[0]?.matchAll(/^\|([^|]+)\|/gm) ?? [];
  const names = [...cells].flatMap(([, cell]) => [...(cell ?? '').matchAll(/`\.([a-z.]+)\.tsx?`/g)]);
  return names.map(([, name]) => name ?? '');
}

/** Returns the suffixes of a file: `sale.rules.spec.ts` has `rules` and `spec`; `create-coupons.int.spec.ts` has `int.spec`. */
function suffixesOf(file: string): string[] {
  const parts = basename(file).split('.').slice(1, -1);
  const spec = parts.indexOf('spec');
  if (spec < 0) return parts;
  const kind = parts[spec - 1];
  return kind === 'int' || kind === 'browser'
    ? [...parts.slice(0, spec - 1), `${kind}.spec`]
    : [...parts.slice(0, spec), 'spec'];
}

describe('the suffix of a file', () => {
  const files = execFileSync('git', ['ls-files', 'apps', 'libs', 'tools', 'examples'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts') && !NAMES_OF_TOOLS.includes(basename(file)));

  it('is one of the suffixes that CONTRIBUTING lists', () => {
    const known = new Set(listed());
    expect(files.filter((file) => suffixesOf(file).some((suffix) => !known.has(suffix)))).toEqual([]);
  });

  it(`comes from a list of at most ${MOST} suffixes, in which spec, int.spec and browser.spec count as one`, () => {
    expect(new Set(listed().map((name) => name.replace(/^(int|browser)\.spec$/, 'spec'))).size).toBeLessThanOrEqual(
      MOST,
    );
  });
});
