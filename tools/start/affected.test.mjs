import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selectionOf } from './affected-tests.mjs';

describe('the tests that a change affects', () => {
  it('are those of the projects that Nx names, by the names that Jest gives them', () => {
    const affected = ['@tandem/idp-api', '@tandem/discovery'];
    assert.deepEqual(selectionOf(['apps/discovery/src/main.ts', 'CHANGELOG.md'], affected), {
      projects: ['discovery', 'idp-api'],
    });
  });

  for (const file of [
    'package-lock.json',
    'tools/start/start.mjs',
    'docs/partner-guide.md',
    'apps/apps.js',
    '.ci/run',
  ]) {
    it(`are all of them when ${file} changed, which no project owns`, () => {
      assert.deepEqual(selectionOf(['apps/discovery/src/main.ts', file], []), { because: file, projects: [] });
    });
  }
});
