import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { needsBrowser } from './test-run.mjs';

describe('npm test looks for a browser', () => {
  const withPages = 'tools/sandbox/test/pages.browser.spec.ts';

  it('when everything runs', () => assert.equal(needsBrowser([]), true));

  it('when a test of pages is in the run', () => assert.equal(needsBrowser([withPages]), true));

  it('not when the run has other tests only', () => {
    assert.equal(needsBrowser(['tools/demo/test/inbox.spec.ts']), false);
    assert.equal(needsBrowser(['tools/demo/test/inbox.spec.ts', '-t', 'is']), false);
  });
});
