import { countPackages } from './install.mjs';
import { inRoot, readJson } from './paths.mjs';

describe('the install', () => {
  it('runs no install script: allowScripts in package.json has `false` for each package that has a script', () => {
    const { packages } = readJson(inRoot('package-lock.json'));
    const names = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([where]) => where.split('node_modules/').at(-1));
    const { allowScripts } = readJson(inRoot('package.json'));
    expect(Object.keys(allowScripts ?? {}).sort()).toEqual([...new Set(names)].sort());
    expect([...new Set(Object.values(allowScripts))]).toEqual([false]);
  });

  it('counts every required package as present, and fewer packages than package-lock.json lists', () => {
    const { packages } = readJson(inRoot('package-lock.json'));
    const required = Object.entries(packages).filter(
      ([where, { optional }]) => where.startsWith('node_modules/') && optional !== true,
    );
    const { present, wanted } = countPackages();
    expect(present).toBeGreaterThanOrEqual(required.length);
    expect(present).toBeLessThan(wanted);
  });
});
