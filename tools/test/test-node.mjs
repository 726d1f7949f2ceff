/**
 * `npm run test:node -- VERSION [arguments of npm test]` runs `npm test` with another Node, such as 20.19, 22 or 24. It downloads
 * the binary from npm (node-<system>-<processor>) once per version, into .tandem/node.
 */
import '../stack/node-version.mjs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { inRoot, ROOT } from '../stack/paths.mjs';
import { nodeBinary } from './npm-binary.mjs';

const [version, ...testArguments] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version ?? '')) {
  console.error('npm run test:node -- VERSION [arguments of npm test]\n\nVERSION is like 22 or 20.19');
  process.exit(2);
}

const node = nodeBinary(version);
console.log(`Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()} (${node})`);
const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
const { status } = spawnSync(node, [inRoot('tools/test/test.mjs'), ...testArguments], {
  cwd: ROOT,
  env,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
