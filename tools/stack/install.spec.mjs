import { inRoot, readJson } from './paths.mjs';

describe('the install', () => {
  it('decides in allowScripts about each install script; without a decision npm 11 warns, and npm 12 stops', () => {
    const { packages } = readJson(inRoot('package-lock.json'));
    const names = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([where]) => where.split('node_modules/').at(-1));
    const { allowScripts } = readJson(inRoot('package.json'));
    expect(Object.keys(allowScripts ?? {}).sort()).toEqual([...new Set(names)].sort());
    // Compares only names, because the lock file does not contain the URL by which npm would trust a version.
    expect([...new Set(Object.values(allowScripts))]).toEqual([false]);
  });
});
