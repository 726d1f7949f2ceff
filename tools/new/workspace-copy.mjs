import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../stack/paths.mjs';

// Keeps the times of files, because tsc compiles the files that changed since the last build.
const COPIED = { preserveTimestamps: true, recursive: true };

/**
 * Copies to a temporary folder, as in a fresh clone, all files that git tracks or does not ignore.
 *
 * @returns {string} the folder
 */
function copySources() {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-recipe-'));
  fs.chmodSync(copy, 0o755); // Postgres runs as another account when the tests run as root
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const files = String(listed)
    .split('\0')
    .filter((file) => file !== '' && fs.existsSync(path.join(ROOT, file)));
  for (const file of files) fs.cpSync(path.join(ROOT, file), path.join(copy, file), COPIED);
  return copy;
}

/**
 * Copies the files that git tracks or would add, and the build output, to a temporary folder.
 *
 * @returns {string} the folder
 */
export function copyBuilt() {
  const copy = copySources();
  for (const folder of projectsIn(copy)) {
    const built = path.join(folder, 'dist');
    if (fs.existsSync(path.join(ROOT, built))) fs.cpSync(path.join(ROOT, built), path.join(copy, built), COPIED);
  }
  keepSites(copy);
  return copy;
}

/**
 * Marks the built sites of a copy as up to date. Otherwise the copy would bundle them again, because the folders of their sources are newer
 * in the copy. No test reads a site of a copy.
 *
 * @param {string} copy the folder
 */
export function keepSites(copy) {
  const now = new Date();
  for (const site of ['apps/console/dist/index.html', 'apps/docs/dist/index.html']) {
    const file = path.join(copy, site);
    if (fs.existsSync(file)) fs.utimesSync(file, now, now);
  }
}

/**
 * Copies the workspace to a temporary folder: a fresh clone with its build output. Packages are links to those that are installed
 * here, except the workspace's own packages, which are those of the copy.
 *
 * @returns {string} the folder
 */
export function copyWorkspace() {
  const copy = copyBuilt();
  for (const folder of projectsIn(copy)) {
    // npm installs a package here when two programs need different versions of it.
    const own = path.join(folder, 'node_modules');
    if (fs.existsSync(path.join(ROOT, own))) fs.symlinkSync(path.join(ROOT, own), path.join(copy, own), 'dir');
  }
  linkPackages(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

const projectsIn = (copy) =>
  ['apps', 'libs', 'tools'].flatMap((group) =>
    fs.readdirSync(path.join(copy, group)).map((name) => path.join(group, name)),
  );

function linkPackages(installed, target) {
  fs.mkdirSync(path.join(target, '@tandem'), { recursive: true });
  for (const name of fs.readdirSync(installed)) {
    if (name !== '@tandem') fs.symlinkSync(path.join(installed, name), path.join(target, name));
  }
  for (const name of fs.readdirSync(path.join(installed, '@tandem'))) {
    const link = fs.readlinkSync(path.join(installed, '@tandem', name));
    fs.symlinkSync(link, path.join(target, '@tandem', name));
  }
}
