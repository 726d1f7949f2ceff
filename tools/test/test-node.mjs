/**
 * `npm run test:node -- VERSION [arguments of npm test]` runs `npm test` with another Node, such as 20.19, 22 or 24. It downloads
 * the binary from npm (node-<system>-<processor>) once per version, into .tandem/node.
 */
import '../stack/node-version.mjs';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inRoot, ROOT } from '../stack/paths.mjs';

const [version, ...testArguments] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version ?? '')) {
  console.error('npm run test:node -- VERSION [arguments of npm test]\n\nVERSION is like 22 or 20.19');
  process.exit(2);
}

const node = binaryOf(version) ?? download(version);
console.log(`Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()} (${node})`);
const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
const { status } = spawnSync(node, [inRoot('tools/test/test.mjs'), ...testArguments], {
  cwd: ROOT,
  env,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

/** Returns the name of the npm package with the binary for this machine. */
function packageName() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  return `node-${system}-${process.arch}`;
}

function folderOf(wanted) {
  return inRoot('.tandem/node', wanted);
}

/** @returns {string | undefined} */
function binaryOf(wanted) {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const file = path.join(folderOf(wanted), 'node_modules', packageName(), 'bin', name);
  return fs.existsSync(file) ? file : undefined;
}

/** @throws when npm has no such version for this machine */
function download(wanted) {
  const folder = folderOf(wanted);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', `${packageName()}@${wanted}`];
  const npm = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  const file = binaryOf(wanted);
  if (npm.status !== 0 || file === undefined) throw new Error(`there is no Node ${wanted} for this machine in npm`);
  return file;
}
