import fs from 'node:fs';
import { APPS, SITES } from '../../apps/apps.js';
import { inRoot, readJson } from '../stack/paths.mjs';
import { addDeployment } from './deployment.mjs';
import { appendToList } from './files.mjs';
import { checkName, sentence, snake, UsageError } from './names.mjs';

const SCOPES = ['partner', 'identity', 'discovery', 'shared'];

/**
 * Writes an app that starts: its folder, its row in the table of apps, its reference in tsconfig.json, its entries in
 * package-lock.json, and its files for containers and Kubernetes. The new app uses only packages that are already installed, so no
 * `npm install` is needed.
 *
 * @param {import('./files.mjs').Changes} changes
 * @param {{ name?: string, role?: string, scope?: string, routes?: string[], events?: boolean }} wanted events: whether the app
 *   publishes or handles events; true if omitted
 */
export async function addApp(changes, { name, role, scope = 'shared', routes = [], events = true }) {
  const app = checkName(name, 'the name of the app');
  const schema = role ?? snake(app.split('-')[0]);
  if (APPS.some((row) => row.name === app)) throw new UsageError(`there is an app ${app} already`);
  if (APPS.some((row) => row.role === schema)) throw new UsageError(`the role ${schema} is another app's: give --role`);
  if (!SCOPES.includes(scope)) throw new UsageError(`--scope must be one of ${SCOPES.join(', ')}`);
  routes.forEach(checkRoute);
  if (new Set(routes).size < routes.length) throw new UsageError('--route is given twice with the same prefix');
  const title = sentence(app);
  const variant = events ? 'events' : 'no events';
  await changes.copy('app', `apps/${app}`, { app, role: schema, scope, title }, variant);
  await changes.edit(`apps/${app}/package.json`, withVersions);

  const port = Math.max(...APPS.map((row) => row.port)) + 1;
  const served = routes.map((prefix) => `{ prefix: '${prefix}' }`).join(', ');
  const row = `{ name: '${app}', role: '${schema}', port: ${port}${served && `, routes: [${served}]`} }`;
  await changes.edit('apps/apps.js', (text) => appendToList(text, 'exports.APPS = [', row));
  await changes.edit('tsconfig.json', (text) => withReference(text, `./apps/${app}`));
  await changes.edit('package-lock.json', (text) => withWorkspace(text, `apps/${app}`));
  link(app);
  await addDeployment(changes, { app, role: schema, port, isPublic: routes.length > 0, events });
  changes.next.push('npm run k8s', 'npm run observability -- write');
}

/** Checks a path prefix that the edge is to forward. @param {string} prefix @throws UsageError */
function checkRoute(prefix) {
  if (!/^(\/[a-z0-9][a-z0-9._-]*)+$/.test(prefix))
    throw new UsageError(`--route must be like /parcels, not "${prefix}"`);
  const isNested = (one, other) => one === other || one.startsWith(`${other}/`);
  for (const { name, routes: taken = [], docs = [] } of /** @type {readonly any[]} */ ([...APPS, ...SITES])) {
    const other = [...taken.map((route) => route.prefix), ...docs].find(
      (path) => isNested(prefix, path) || isNested(path, prefix),
    );
    if (other) throw new UsageError(`--route ${prefix} is not free: ${other} leads to ${name}`);
  }
}

/** Fills in the missing versions of dependencies from the package.json at the root. */
function withVersions(text) {
  const json = JSON.parse(text);
  const { dependencies: versions } = readJson(inRoot('package.json'));
  for (const name of Object.keys(json.dependencies)) json.dependencies[name] ||= versions[name];
  return JSON.stringify(json, null, 2);
}

function withReference(text, folder) {
  const json = JSON.parse(text);
  const last = json.references.findLastIndex(({ path }) => path.startsWith('./apps/'));
  json.references.splice(last + 1, 0, { path: folder });
  return JSON.stringify(json, null, 2);
}

/** Adds the same entries to package-lock.json that npm would write for a package of the workspace. */
function withWorkspace(text, folder) {
  const lock = JSON.parse(text);
  const { name, version, dependencies } = readJson(inRoot(folder, 'package.json'));
  const added = {
    [folder]: { name, version, dependencies },
    [`node_modules/${name}`]: { resolved: folder, link: true },
  };
  const entries = Object.entries(lock.packages);
  for (const entry of Object.entries(added)) {
    const next = entries.findIndex(([other]) => other.localeCompare(entry[0], 'en') > 0);
    entries.splice(next < 0 ? entries.length : next, 0, entry);
  }
  return JSON.stringify({ ...lock, packages: Object.fromEntries(entries) }, null, 2);
}

function link(app) {
  const target = inRoot('node_modules/@tandem', app);
  if (!fs.existsSync(target)) fs.symlinkSync(`../../apps/${app}`, target, 'dir');
}
