import fs from 'node:fs';
import path from 'node:path';
import { inRoot, readJson, ROOT } from './paths.mjs';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Whether node_modules holds just what package-lock.json lists; packages for other platforms may be absent. */
export function isInstalled() {
  const wanted = readJson(inRoot('package-lock.json'))?.packages ?? {};
  const present = readJson(inRoot('node_modules/.package-lock.json'))?.packages;
  if (!present) return false;
  return Object.entries(wanted).every(([where, { version, link, optional }]) => {
    if (!where.startsWith('node_modules/')) return true;
    if (link) return fs.existsSync(inRoot(where));
    return present[where] ? present[where].version === version : optional === true;
  });
}

/** Installs exactly what package-lock.json lists. @param {import('./runner.mjs').Runner} runner */
export const install = (runner) => runner.task(npm, ['ci', '--no-audit', '--no-fund'], { cwd: ROOT, inherit: true });

/** What is compiled to a `dist`: every lib, app and tool. @returns {string[]} paths of their TypeScript configurations */
export const compiledProjects = () =>
  ['libs', 'apps', 'tools'].flatMap((group) =>
    fs
      .readdirSync(inRoot(group))
      .flatMap((name) => ['tsconfig.lib.json', 'tsconfig.app.json'].map((file) => path.join(group, name, file)))
      .filter((file) => fs.existsSync(inRoot(file))),
  );

/**
 * Compiles what changed. @param {import('./runner.mjs').Runner} runner
 * @throws with the compiler's messages
 */
export async function build(runner) {
  const compiler = inRoot('node_modules/typescript/bin/tsc');
  try {
    await runner.task(process.execPath, [compiler, '-b', ...compiledProjects()], { cwd: ROOT });
  } catch (error) {
    if (runner.stopping) throw error;
    throw new Error(`the build failed:\n${error.message.split('\n').slice(1).join('\n')}`);
  }
}

export const built = (...parts) => {
  const file = path.join(ROOT, ...parts);
  if (!fs.existsSync(file)) throw new Error(`${path.relative(ROOT, file)} is missing: run npm run build`);
  return file;
};
