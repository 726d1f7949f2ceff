import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, it } from 'node:test';
import { APPS } from '../../apps/apps.js';
import { inRoot } from './paths.mjs';

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
  it('gives what an app is made of and what it is deployed with to the same team', () => {
    for (const { name } of APPS) assert.deepEqual(ownersOf(`/apps/${name}/`), ownersOf(`/k8s/base/${name}/`), name);
    assert.deepEqual(ownersOf('/apps/partner-gateway/'), ['@tandem/partner-gateway']);
  });

  it('gives each lib to somebody, and everything else, such as a new app, to the platform team', () => {
    for (const lib of libs) assert.notEqual(ownersOf(`/libs/${lib}/`).length, 0, lib);
    assert.deepEqual(rules[0], { pattern: '*', owners: ['@tandem/platform'] });
  });

  it('names teams of the organisation, and no app or lib that is gone', () => {
    assert.deepEqual(
      rules.flatMap(({ owners }) => owners).filter((owner) => !OWNER.test(owner)),
      [],
    );
    const gone = rules.filter(
      ({ pattern }) => /^\/(apps|libs|tools)\//.test(pattern) && !fs.existsSync(inRoot(pattern)),
    );
    assert.deepEqual(gone, []);
  });
});
