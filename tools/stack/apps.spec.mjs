import fs from 'node:fs';
import path from 'node:path';
import { appOf, APPS, SITES } from '../../apps/apps.js';
import { inRoot, readJson } from './paths.mjs';

const foldersIn = (group) =>
  fs.readdirSync(inRoot(group)).filter((name) => fs.existsSync(inRoot(group, name, 'package.json')));
/**
 * The projects that TypeScript compiles. They exclude tools/image, which only lists the packages of the images, and the sites, which are
 * bundled with their own configuration.
 */
const projects = ['libs', 'apps', 'tools']
  .flatMap((group) => foldersIn(group).map((name) => `${group}/${name}`))
  .filter((folder) => fs.existsSync(inRoot(folder, 'src')) && !SITES.some(({ name }) => folder === `apps/${name}`));
const configOf = (folder) =>
  ['tsconfig.lib.json', 'tsconfig.app.json'].find((file) => fs.existsSync(inRoot(folder, file)));
const folderOf = new Map(projects.map((folder) => [readJson(inRoot(folder, 'package.json')).name, folder]));
/** Returns the folders of the projects on which a project depends. */
const dependenciesOf = (folder) =>
  Object.keys(readJson(inRoot(folder, 'package.json')).dependencies ?? {}).flatMap((name) => folderOf.get(name) ?? []);
const referencesOf = (file) =>
  readJson(inRoot(file)).references.map(({ path: to }) => path.join(path.dirname(file), to));

describe('the tables of apps and sites', () => {
  it('have a row for each folder of apps/', () => {
    expect([...APPS, ...SITES].map(({ name }) => name).sort()).toEqual(foldersIn('apps').sort());
  });

  it('give each app its own role and port', () => {
    for (const column of ['role', 'port']) {
      expect([column, new Set(APPS.map((app) => app[column])).size]).toEqual([column, APPS.length]);
    }
  });

  it('give each app a role with the name of its schema', () => {
    for (const { name, role } of APPS) {
      const source = fs.readFileSync(inRoot('apps', name, 'src/migrations/index.ts'), 'utf8');
      expect(source).toMatch(new RegExp(`schema: '${role}'`));
    }
  });
});

describe('the project references of TypeScript', () => {
  it('in the root tsconfig.json name every project', () => {
    expect(referencesOf('tsconfig.json').sort()).toEqual([...projects].sort());
  });

  for (const folder of projects) {
    it(`of ${folder} are its dependencies`, () => {
      const wanted = dependenciesOf(folder).map((to) => `${to}/${configOf(to)}`);
      expect(referencesOf(`${folder}/${configOf(folder)}`).sort()).toEqual(wanted.sort());
    });
  }
});

describe('appOf', () => {
  it('returns the row of an app, and throws for a name that is not the name of an app', () => {
    expect(appOf('idp-api').port).toBe(4105);
    expect(() => appOf('idp')).toThrow('there is no app "idp"');
  });
});
