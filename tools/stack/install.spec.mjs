import { inRoot, readJson } from './paths.mjs';

describe('the install', () => {
  it('decides about the install script of each package, so that npm 11 does not warn and npm 12 does not stop', () => {
    const { packages } = readJson(inRoot('package-lock.json'));
    const names = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([where]) => where.split('node_modules/').at(-1));
    const { allowScripts } = readJson(inRoot('package.json'));
    expect(Object.keys(allowScripts ?? {}).sort()).toEqual([...new Set(names)].sort());
    // The lock file does not contain the URL by which npm would trust a version, so only names are compared.
    expect([...new Set(Object.values(allowScripts))]).toEqual([false]);
  });
});
