import fs from 'node:fs';
import { APPS, SITES } from '../../apps/apps.js';
import { inRoot } from '../stack/paths.mjs';

const OWNER = /^@tandem\/[a-z-]+$/;
const rules = fs
  .readFileSync(inRoot('.github/CODEOWNERS'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map((line) => line.trim().split(/\s+/))
  .map(([pattern, ...owners]) => ({ pattern, owners }));
const ownersOf = (pattern) => rules.findLast((rule) => rule.pattern === pattern)?.owners ?? [];
const libs = fs.readdirSync(inRoot('libs'));

describe('.github/CODEOWNERS', () => {
  it('gives an app and its deployment to the same team', () => {
    for (const { name } of [...APPS, ...SITES])
      expect([name, ownersOf(`/apps/${name}/`)]).toEqual([name, ownersOf(`/k8s/base/${name}/`)]);
    expect(ownersOf('/apps/partner-gateway/')).toEqual(['@tandem/partner-gateway']);
  });

  it('gives each lib to a team, and all files without a rule, such as a new app, to the platform team', () => {
    expect(libs.filter((lib) => ownersOf(`/libs/${lib}/`).length === 0)).toEqual([]);
    expect(rules[0]).toEqual({ pattern: '*', owners: ['@tandem/platform'] });
  });

  it('names only teams of @tandem, and only apps, libs and tools that exist', () => {
    expect(rules.flatMap(({ owners }) => owners).filter((owner) => !OWNER.test(owner))).toEqual([]);
    const gone = rules.filter(
      ({ pattern }) => /^\/(apps|libs|tools)\//.test(pattern) && !fs.existsSync(inRoot(pattern)),
    );
    expect(gone).toEqual([]);
  });
});
