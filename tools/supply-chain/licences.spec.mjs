import satisfies from 'spdx-satisfies';
import { inRoot, readJson } from '../stack/paths.mjs';

/** The allowed licenses. None requires more than a notice. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
  'WTFPL',
];

/** Packages under another license, each with the reason why it is allowed. None of them is in an image. */
const EXCEPTIONS = {
  lightningcss: { license: 'MPL-2.0', because: 'the bundler of the console runs it, unchanged' },
  '@cspell/dict-en-common-misspellings': { license: 'CC BY-SA 4.0', because: 'the spelling check reads it, unchanged' },
  'axe-core': { license: 'MPL-2.0', because: 'the tests of pages run it, unchanged' },
};

/** Returns every installed package from the lock file, except those of the workspace. */
const packagesOf = (lock) =>
  Object.entries(lock.packages)
    .filter(([folder, { link }]) => folder.includes('node_modules/') && !link)
    .map(([folder, { version, license }]) => ({ name: folder.split('node_modules/').at(-1), version, license }));

/** Returns the packages without an exception whose license is unknown or not permissive. */
function refused(lock) {
  return packagesOf(lock)
    .filter(({ name, license }) => !isExcepted(name, license) && !isPermissive(license))
    .map(({ name, version, license }) => `${name}@${version}: ${license}`);
}

/**
 * Returns whether a package has an exception. The exception for `lightningcss` also covers its packages of binaries, such as
 * `lightningcss-linux-x64-gnu`.
 */
const isExcepted = (name, license) =>
  Object.entries(EXCEPTIONS).some(
    ([excepted, { license: its }]) => its === license && (name === excepted || name.startsWith(`${excepted}-`)),
  );

function isPermissive(license) {
  try {
    return satisfies(license, PERMISSIVE);
  } catch {
    // `satisfies` throws when there is no license, or when SPDX does not list it.
    return false;
  }
}

const lock = readJson(inRoot('package-lock.json'));

describe('the licenses of the packages in package-lock.json', () => {
  it('are all permissive, except those of the packages in EXCEPTIONS', () => {
    expect(packagesOf(lock).length).toBeGreaterThan(500);
    expect(refused(lock)).toEqual([]);
  });

  for (const license of ['GPL-3.0-only', 'AGPL-3.0', 'MIT AND GPL-2.0', 'SEE LICENSE IN LICENSE', undefined]) {
    it(`fail the check when one of them is ${license}`, () => {
      const packages = { 'node_modules/a': { version: '1.0.0', license } };
      expect(refused({ packages })).toEqual([`a@1.0.0: ${license}`]);
    });
  }

  it('pass the check when a package offers a choice that includes a permissive license', () => {
    expect(refused({ packages: { 'node_modules/a': { license: '(GPL-2.0-only OR MIT)' } } })).toEqual([]);
  });

  it('have no exception for a package that is no longer installed', () => {
    const names = new Set(packagesOf(lock).map(({ name }) => name));
    expect(Object.keys(EXCEPTIONS).filter((name) => !names.has(name))).toEqual([]);
  });
});
