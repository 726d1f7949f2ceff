import fs from 'node:fs';
import path from 'node:path';
import { countPackages, replaceFolder } from './install.mjs';
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

  it('counts the packages that every platform needs, so that the progress ends with all of them', () => {
    const { packages } = readJson(inRoot('package-lock.json'));
    const listed = Object.keys(packages).filter((where) => where.startsWith('node_modules/')).length;
    const { present, wanted } = countPackages();
    expect(present).toBe(wanted);
    // The packages for other platforms, such as those of the compiler, are optional.
    expect(wanted).toBeLessThan(listed);
    expect(wanted).toBeGreaterThan(listed / 2);
  });
});

describe('a site', () => {
  let folder;
  beforeEach(() => {
    fs.mkdirSync(inRoot('.tandem'), { recursive: true });
    folder = path.join(fs.mkdtempSync(inRoot('.tandem/test-site-')), 'dist');
  });
  afterEach(() => fs.rmSync(path.dirname(folder), { recursive: true, force: true }));

  const write = (made, text) => {
    fs.mkdirSync(made);
    fs.writeFileSync(path.join(made, 'index.html'), text);
  };
  const shown = () => fs.readFileSync(path.join(folder, 'index.html'), 'utf8');

  it('stays available while two commands build it again at the same time', async () => {
    await replaceFolder(folder, async (made) => write(made, 'first'));
    let finish;
    const waits = new Promise((resolve) => (finish = resolve));
    const slow = replaceFolder(folder, async (made) => {
      write(made, 'slow');
      await waits;
    });
    expect(shown()).toBe('first');
    await replaceFolder(folder, async (made) => write(made, 'fast'));
    expect(shown()).toBe('fast');
    finish();
    await slow;
    expect(shown()).toBe('slow');
  });

  it('keeps its old files when the build fails', async () => {
    await replaceFolder(folder, async (made) => write(made, 'first'));
    const failing = replaceFolder(folder, async (made) => {
      write(made, 'broken');
      throw new Error('the build failed');
    });
    await expect(failing).rejects.toThrow('the build failed');
    expect(shown()).toBe('first');
    expect(fs.readdirSync(path.dirname(folder))).toEqual(['dist']);
  });
});
