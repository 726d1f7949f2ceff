import fs from 'node:fs';
import path from 'node:path';
import { APPS } from '../../apps/apps.js';
import { inHome, ROOT } from './paths.mjs';

/**
 * Seeds the apps that have a `seed` in the table of apps with demo data, one after the other, in the order of the table.
 *
 * @param {import('./runner.mjs').Runner} runner
 * @param {Record<string, Record<string, string>>} apps  app → environment; the seed reads DATABASE_URL
 * @param {string} [root]  the checkout whose build seeds. An app that does not exist there is not seeded
 */
export async function seed(runner, apps, root = ROOT) {
  for (const { name, seed: options } of APPS) {
    if (!options || !fs.existsSync(path.join(root, 'apps', name))) continue;
    const program = ['--enable-source-maps', path.join(root, 'apps', name, 'dist/seed.js')];
    const args = Object.entries(options).flatMap(([option, file]) => [`--${option}`, inHome(file)]);
    await runner.task(process.execPath, [...program, ...args], { env: apps[name] });
  }
}
