import fs from 'node:fs';
import { inRoot } from '../stack/paths.mjs';
import SlowestFirst, { SLOWEST } from './slowest-first.mjs';

describe('the order of the test files', () => {
  it('begins with the slowest files, the longest first, on a machine where no test has run before', async () => {
    const context = { config: { cacheDirectory: '/none', id: 'none', name: 'none' }, hasteFS: { getSize: () => 1 } };
    const [longest, second] = SLOWEST;
    const files = ['tools/test/listen.spec.mjs', 'tools/stack/apps.spec.mjs', second, longest];
    const tests = /** @type {any} */ (files.map((file) => ({ context, path: inRoot(file) })));
    const sorted = await new SlowestFirst(/** @type {any} */ ({})).sort(tests);
    expect(sorted.map(({ path }) => path)).toEqual([longest, second, files[0], files[1]].map((file) => inRoot(file)));
  });

  it('has only existing files in its list of slow files', () => {
    expect(SLOWEST.filter((file) => !fs.existsSync(inRoot(file)))).toEqual([]);
  });
});
