import fs from 'node:fs';
import { inRoot } from './paths.mjs';

/** What says something to people or to the forge, and is read by no test of a project. */
const READ_BY_NO_TEST =
  /^(CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|LICENSE|\.vscode\/|renovate\.json$|docs\/decisions\/)/;

/**
 * @param {string[]} changed files, as paths from the repository's root
 * @param {string[]} affected names of the projects that Nx counts as affected, such as `@tandem/discovery`
 * @returns {{ because?: string, projects: string[] }} projects: by the names that Jest gives them; because: the file for which every
 *   test is to run
 */
export function selectionOf(changed, affected) {
  const because = changed.find((file) => !isOfProject(file) && !READ_BY_NO_TEST.test(file));
  if (because !== undefined) return { because, projects: [] };
  return { projects: affected.map((name) => name.replace('@tandem/', '')).sort() };
}

/** Whether a file belongs to a package of the workspace. */
function isOfProject(file) {
  const [group, name, ...rest] = file.split('/');
  return (
    rest.length > 0 && ['apps', 'libs', 'tools'].includes(group) && fs.existsSync(inRoot(group, name, 'package.json'))
  );
}
