import fs from 'node:fs';
import { transformSync } from '@swc/core';
import { inRoot } from '../stack/paths.mjs';

const SINCE = Date.parse('2026-01-05T09:30:00Z');

/** Returns the exports of a source file of the console, which must have no imports. Tests in tools/ cannot import TypeScript. */
function exportsOf(file) {
  const { code } = transformSync(fs.readFileSync(inRoot('apps/console/src', file), 'utf8'), {
    swcrc: false,
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  const exports = /** @type {any} */ ({});
  new Function('exports', code)(exports);
  return exports;
}

describe('the refreshes of the page of a user', () => {
  const { nextRefresh } = exportsOf('support/refresh.ts');

  afterEach(() => jest.restoreAllMocks());

  /** Returns the seconds until the next refresh when the data was loaded `loaded` seconds after the beginning. */
  const nextAfter = (loaded, now = loaded) => {
    jest.spyOn(Date, 'now').mockReturnValue(SINCE + now * 1_000);
    const next = nextRefresh(SINCE, SINCE + loaded * 1_000);
    return next && next / 1_000;
  };

  it('come after 4 s at first, and then after a quarter of the time that has passed', () => {
    expect([0, 16, 40, 80].map((loaded) => nextAfter(loaded))).toEqual([4, 4, 10, 20]);
  });

  it('end two minutes after the beginning, or up to 4 s later', () => {
    expect([100, 118, 120, 122].map((loaded) => nextAfter(loaded))).toEqual([20, 4, false, false]);
  });

  it('end two minutes and 4 s after the beginning if the data can no longer be loaded', () => {
    expect([100, 123, 124].map((now) => nextAfter(40, now))).toEqual([10, 10, false]);
  });
});
