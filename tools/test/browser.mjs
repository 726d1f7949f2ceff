import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { report } from '../stack/console.mjs';
import { npm } from '../stack/install.mjs';
import { BROWSER_CACHE, inRoot, readJson } from '../stack/paths.mjs';

/** The programs of Chrome and Chromium on each platform: names on the PATH, or absolute paths. */
const INSTALLED = {
  linux: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
};

/** How long a browser may take to start and load an empty page. The limit is high, because the first start takes long on a busy machine. */
const START_MS = 60_000;

/** A script that decompresses the browser, and libraries that a minimal Linux lacks, into TMPDIR. */
const INFLATE = `import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())`;

/**
 * Finds a headless browser for tests: the browser that `CHROME_PATH` names, an installed browser that starts, or a browser from npm,
 * which is downloaded once.
 *
 * @param {import('../stack/runner.mjs').Runner} runner
 * @param {{ env?: NodeJS.ProcessEnv, fetch?: (runner: import('../stack/runner.mjs').Runner) => Promise<string>, say?: (line: string) => void }} [options]
 *   `say` receives a line for each installed browser that does not start, with the reason
 * @returns {Promise<string>} the absolute path of the browser's program
 * @throws with the reason when there is no browser
 */
export async function findBrowser(runner, { env = process.env, fetch = fetchBrowser, say = report } = {}) {
  if (env.CHROME_PATH) {
    const reason = whyNotStarting(env.CHROME_PATH);
    if (reason) throw new Error(`CHROME_PATH names ${env.CHROME_PATH}, which does not start: ${reason}`);
    return path.resolve(env.CHROME_PATH);
  }
  for (const program of installed(env)) {
    const reason = whyNotStarting(program);
    if (!reason) return program;
    say(`${program} does not start: ${reason}`);
  }
  return fetch(runner);
}

/** Returns the paths of installed browsers. They are absolute, because the library that starts a browser does not search the PATH. */
function installed(env) {
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return (INSTALLED[process.platform] ?? [])
    .flatMap((name) => (path.isAbsolute(name) ? [name] : folders.map((folder) => path.resolve(folder, name))))
    .filter((program, index, all) => fs.existsSync(program) && all.findIndex(isSameFile(program)) === index);
}

/** Returns whether two paths name the same program. A program may be found twice, because /bin is often a link to /usr/bin. */
const isSameFile = (program) => (other) => fs.existsSync(other) && fs.realpathSync(other) === fs.realpathSync(program);

/**
 * Loads an empty page with a browser. Uses a new profile, because a running browser locks its profile.
 *
 * @returns {string | undefined} the reason why the browser does not start; undefined when it starts
 */
function whyNotStarting(program) {
  const page = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
  const args = [...page, `--user-data-dir=${profile}`, '--dump-dom', 'about:blank'];
  const { error, status, signal, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: START_MS });
  fs.rmSync(profile, { recursive: true, force: true });
  if (error) return error.message;
  if (status === 0) return undefined;
  const lastLine = (stderr ?? '').trim().split('\n').at(-1);
  return `${signal ? `ended by ${signal}` : `exit code ${status}`}${lastLine ? `, ${lastLine}` : ''}`;
}

/** Installs the package of `tools/test/chromium` into BROWSER_CACHE, unless the cache has it. @returns the path of the browser */
async function fetchBrowser(runner) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('no installed Chrome or Chromium starts, and npm has a browser only for Linux on x64');
  }
  const source = inRoot('tools/test/chromium');
  const home = path.join(
    BROWSER_CACHE,
    `chromium-${readJson(path.join(source, 'package.json')).dependencies['@sparticuz/chromium']}`,
  );
  const program = path.join(home, 'chrome');
  if (fs.existsSync(program)) return program;
  fs.mkdirSync(BROWSER_CACHE, { recursive: true });
  const draft = fs.mkdtempSync(path.join(BROWSER_CACHE, 'draft-'));
  try {
    fs.cpSync(source, draft, { recursive: true });
    await runner.task(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft });
    // Pretends to run on AWS Lambda, because the package decompresses the libraries only there.
    const env = { TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
    await runner.task(process.execPath, ['-e', INFLATE], { cwd: draft, env });
    fs.rmSync(path.join(draft, 'node_modules'), { recursive: true });
    writeLauncher(draft, home);
    if (!fs.existsSync(home)) fs.renameSync(draft, home);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  await runner.task(program, ['--version']);
  return program;
}

/** Writes the program `chrome`, which runs the browser with its own libraries, and with its own font in addition to the machine's fonts. */
function writeLauncher(draft, home) {
  const fonts = ['fonts', 'fonts/fonts'].map((folder) => `<dir>${path.join(home, folder)}</dir>`).join('');
  fs.writeFileSync(
    path.join(draft, 'fonts.conf'),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir>${fonts}<cachedir>${path.join(home, 'font-cache')}</cachedir></fontconfig>\n`,
  );
  fs.writeFileSync(
    path.join(draft, 'chrome'),
    `#!/bin/sh
export FONTCONFIG_FILE='${home}/fonts.conf'
export LD_LIBRARY_PATH='${home}/al2023/lib'"\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec '${home}/chromium' "$@"\n`,
    { mode: 0o755 },
  );
}
