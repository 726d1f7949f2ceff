import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findBrowser } from './browser.mjs';

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
afterAll(() => fs.rmSync(home, { recursive: true }));
/** Only Linux has Chrome and Chromium under fixed names on the PATH. */
const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;
const FETCHED = '/fetched/chrome';

/** Creates a folder for the PATH with shell scripts. @param programs the content of each script by its name */
function folderWith(programs) {
  const folder = fs.mkdtempSync(path.join(home, 'bin-'));
  for (const [name, body] of Object.entries(programs))
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return folder;
}

/** Returns the browser that is found with this environment, and the lines that were reported. */
async function find(env) {
  const said = [];
  const found = await findBrowser(undefined, {
    env,
    fetch: () => Promise.resolve(FETCHED),
    say: (line) => said.push(line),
  });
  return { found, said };
}

describeOnLinux('the browser of the tests', () => {
  it('is the absolute path of an installed browser', async () => {
    const folder = folderWith({ chromium: 'exit 0' });
    expect(await find({ PATH: `/nowhere:${folder}` })).toEqual({ found: path.join(folder, 'chromium'), said: [] });
  });

  it('is fetched when no browser is installed', async () => {
    expect(await find({ PATH: folderWith({}) })).toEqual({ found: FETCHED, said: [] });
  });

  it('is the next installed browser when the first one does not start, and the reason is reported', async () => {
    const broken = folderWith({ chromium: 'echo "no libnss3.so here" >&2; exit 127' });
    const works = folderWith({ 'google-chrome': 'exit 0' });
    expect(await find({ PATH: `${broken}:${works}` })).toEqual({
      found: path.join(works, 'google-chrome'),
      said: [`${path.join(broken, 'chromium')} does not start: exit code 127, no libnss3.so here`],
    });
    expect((await find({ PATH: broken })).found).toBe(FETCHED);
  });

  it('is the browser that CHROME_PATH names, and the search fails when this browser does not start', async () => {
    const folder = folderWith({ mine: 'exit 0', broken: 'exit 1' });
    expect((await find({ CHROME_PATH: path.join(folder, 'mine'), PATH: '' })).found).toBe(path.join(folder, 'mine'));
    await expect(find({ CHROME_PATH: path.join(folder, 'broken'), PATH: '' })).rejects.toThrow(
      /broken, which does not start/,
    );
  });
});
