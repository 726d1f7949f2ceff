import fs from 'node:fs';
import { gzipSync } from 'node:zlib';
import { inRoot } from '../stack/paths.mjs';

const MOST_BYTES = 250_000;
const DIST = 'apps/console/dist';

describe('the first load of the console', () => {
  it(`is at most ${MOST_BYTES / 1000} kB compressed`, () => {
    const page = fs.readFileSync(inRoot(DIST, 'index.html'));
    const files = [...page.toString().matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, file]) => file);
    expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(1);
    const sizes = files.map((file) => gzipSync(fs.readFileSync(inRoot(DIST, file))).length);
    const total = sizes.reduce((sum, size) => sum + size, gzipSync(page).length);
    expect(total).toBeLessThanOrEqual(MOST_BYTES);
  });
});
