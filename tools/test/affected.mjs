/**
 * `npm run test:affected -- --base REV` runs the tests of the projects that the changes since REV affect, according to the project graph of Nx. With
 * `--list`, only prints the selection.
 *
 * A change of a file that no project owns (package.json, jest.project.js, tools/stack, docs) affects every test, unless the file is in
 * READ_BY_NO_TEST of affected-tests.mjs, such as CHANGELOG.md.
 */
import '../stack/node-version.mjs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { report } from '../stack/console.mjs';
import { ROOT } from '../stack/paths.mjs';

/** Prints a mistake in the arguments, and ends. @param {string} message @returns {never} */
function refuse(message) {
  console.error(
    `${message.split('\n')[0]}\nUse: npm run test:affected -- [--base REV] [--list] [-- arguments of Jest]`,
  );
  process.exit(2);
}

/** Reads the arguments. */
function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { base: { type: 'string', default: 'main' }, list: { type: 'boolean', default: false } },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

const { values, positionals } = options();
const revision = ['rev-parse', '--quiet', '--verify', `${values.base}^{commit}`];
// The status is 1 for an unknown revision. Any other failure, such as that of a missing git, is reported by the command below.
if (spawnSync('git', revision, { cwd: ROOT }).status === 1) refuse(`there is no branch or commit "${values.base}"`);

const { changedFiles, output, selectionOf } = await import('./affected-tests.mjs');
const { installOnce } = await import('../stack/install.mjs');
installOnce();
const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');
const affected = output(
  ROOT,
  process.execPath,
  nx,
  'show',
  'projects',
  '--affected',
  `--base=${values.base}`,
  '--json',
);
const { because, projects } = selectionOf(changedFiles(ROOT, values.base), JSON.parse(affected));

report(because ? `every test, because of ${because}` : `tests of: ${projects.join(', ') || 'none'}`);
if (!values.list && (because || projects.length > 0)) {
  const { aloneFirst, runTests } = await import('./test-run.mjs');
  const runs = because
    ? [positionals]
    : aloneFirst(projects).map((some) => [...positionals, '--passWithNoTests', '--selectProjects', ...some]);
  for (const run of runs) process.exitCode = (await runTests(run)) || process.exitCode;
}
