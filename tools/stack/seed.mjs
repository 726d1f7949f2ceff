import { APPS } from '../../apps/apps.js';
import { built } from './install.mjs';
import { inHome } from './paths.mjs';

/**
 * Seeds the apps with demo data, one after the other, in the order of the table of apps.
 *
 * @param {import('./runner.mjs').Runner} runner
 * @param {Record<string, Record<string, string>>} apps  app → environment; the seed reads DATABASE_URL
 */
export async function seed(runner, apps) {
  for (const { name, seed: options } of APPS) {
    if (!options) continue;
    const args = Object.entries(options).flatMap(([option, file]) => [`--${option}`, inHome(file)]);
    await runner.task(process.execPath, [built('apps', name, 'dist/seed.js'), ...args], { env: apps[name] });
  }
}
