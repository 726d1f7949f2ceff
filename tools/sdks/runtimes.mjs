/**
 * `npm run test:runtimes [-- NAME …]` installs the tarball of @tandem/partner in an empty folder, and runs the tests of sdks/behaviours there on each
 * runtime. `--installed FOLDER` tests the package that is installed in FOLDER.
 *
 * The runtimes are downloaded from npm once, into .tandem; `node` is the Node that runs this script. A runtime that npm cannot install on this
 * machine is skipped.
 */
import '../stack/node-version.mjs';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { npm } from '../stack/install.mjs';
import { inRoot } from '../stack/paths.mjs';
import { nodeBinary, npmBinary } from '../test/npm-binary.mjs';

const BUN = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
const DENO = `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`;
/** The command with which each runtime runs a script. */
const RUNTIMES = {
  'node-18': () => [nodeBinary('18')],
  'node-20': () => [nodeBinary('20')],
  'node-22': () => [nodeBinary('22')],
  'node-24': () => [nodeBinary('24')],
  bun: () => [npmBinary('bun', '1.4.5', BUN, 'bin/bun'), 'run'],
  deno: () => [npmBinary('deno', '2.9.6', DENO, 'deno'), 'run', '-A'],
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { installed: { type: 'string' } } });
const unknown = positionals.find((name) => name !== 'node' && !(name in RUNTIMES));
if (unknown !== undefined) throw new Error(`there is no runtime ${unknown}: node, ${Object.keys(RUNTIMES).join(', ')}`);
const folder = values.installed
  ? path.resolve(values.installed)
  : fs.mkdtempSync(path.join(os.tmpdir(), 'sdk-runtimes-'));
/** The bundle of the tests. Its place matters: the tests look for sdks/behaviours relative to sdks/typescript/testing. */
const script = path.join(folder, 'sdks/typescript/testing/on-runtime.cjs');
const run = (command, args, cwd) =>
  execFileSync(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 2],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });

/** Installs the package as a partner does. */
function install() {
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  run(npm, ['pack', '--silent', '-w', '@tandem/partner', '--pack-destination', folder], inRoot());
  const [tarball] = fs.readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  run(npm, ['install', '--no-audit', '--no-fund', '--offline', path.join(folder, tarball)], folder);
}

/** Bundles the tests of the behaviors into the folder. */
function addTests() {
  fs.cpSync(inRoot('sdks/behaviours'), path.join(folder, 'sdks/behaviours'), { recursive: true });
  const bundle = [
    'libs/partner-sdk/test/on-runtime.ts',
    '--platform',
    'node',
    '--format',
    'cjs',
    '--external',
    '@tandem/partner',
    '--file',
    script,
  ];
  run(process.execPath, [inRoot('node_modules/rolldown/bin/cli.mjs'), ...bundle], inRoot());
}

/** Runs the tests on a runtime. @returns {boolean} whether they passed, or the runtime cannot run here */
function passes(name) {
  let command;
  try {
    command = name === 'node' ? [process.execPath] : RUNTIMES[name]();
  } catch (error) {
    console.log(`${name.padEnd(8)} skipped: ${error.message}`);
    return true;
  }
  const startedAt = Date.now();
  const { status, stdout, stderr } = spawnSync(command[0], [...command.slice(1), script], {
    cwd: folder,
    encoding: 'utf8',
  });
  const version = spawnSync(command[0], ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0];
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `${name.padEnd(8)} ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s (${version}): ${(stdout || stderr).trim()}`,
  );
  return status === 0;
}

try {
  if (values.installed === undefined) install();
  addTests();
  const results = (positionals.length > 0 ? positionals : Object.keys(RUNTIMES)).map(passes);
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  if (values.installed === undefined) fs.rmSync(folder, { recursive: true, force: true });
}
