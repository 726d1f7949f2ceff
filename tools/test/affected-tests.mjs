import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { inRoot } from '../stack/paths.mjs';

/** Matches the files that no test reads. The pattern is applied only to files outside the projects. */
const READ_BY_NO_TEST =
  /^(CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|LICENSE|\.vscode\/|\.devcontainer\/|\.githooks\/|\.github\/PULL_REQUEST_TEMPLATE\.md$|renovate\.json$)/;

/**
 * Returns the output of a program.
 *
 * @param {string} cwd
 * @param {string} command
 * @param {...string} args
 * @throws when the program fails
 */
export function output(cwd, command, ...args) {
  const env = { ...process.env, NX_DAEMON: 'false' };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

/**
 * Returns the files that differ from the last common commit with `base`, whether the changes are committed or not, and untracked files. Nx counts the
 * same files as changed.
 *
 * @param {string} folder the repository's root
 * @param {string} base a revision
 * @returns {string[]} paths from the root
 */
export function changedFiles(folder, base) {
  const tracked = output(folder, 'git', 'diff', '--name-only', '--merge-base', base);
  const untracked = output(folder, 'git', 'ls-files', '--others', '--exclude-standard');
  return [...tracked.split('\n'), ...untracked.split('\n')].filter(Boolean);
}

/**
 * Selects the tests that a change affects.
 *
 * @param {string[]} changed files, as paths from the repository's root
 * @param {string[]} affected names of the projects that Nx counts as affected, such as `@tandem/discovery`
 * @returns {{ because?: string, projects: string[] }} because: a file whose change affects every test; absent if there is none. projects:
 *   the names in Jest of the projects to test; empty if `because` is set, because all tests must then run
 */
export function selectionOf(changed, affected) {
  const because = changed.find((file) => !isOfProject(file) && !READ_BY_NO_TEST.test(file));
  if (because !== undefined) return { because, projects: [] };
  return { projects: affected.map((name) => name.replace('@tandem/', '')).sort() };
}

/** Returns whether a file belongs to a package of the workspace. */
function isOfProject(file) {
  const [group, name, ...rest] = file.split('/');
  return (
    rest.length > 0 && ['apps', 'libs', 'tools'].includes(group) && fs.existsSync(inRoot(group, name, 'package.json'))
  );
}
