/**
 * `node run-built.mjs FILE ARGUMENT …` installs missing packages, builds what has changed, then runs the built program and exits with its
 * exit code. If the tool has an `options.js`, wrong arguments are refused, and `--help` is answered, before anything is installed.
 */
import './node-version.mjs';

const { spawn } = await import('node:child_process');
const fs = await import('node:fs');
const { createRequire } = await import('node:module');
const path = await import('node:path');
const { built, prepare, projectsFor } = await import('./install.mjs');
const { inRoot } = await import('./paths.mjs');
const { Runner } = await import('./runner.mjs');

const [file, ...args] = process.argv.slice(2);

/**
 * Checks the arguments by the tool's `options.js`, which needs no packages.
 * @returns {number | undefined} an exit code, if the tool must not run
 */
function checkArguments() {
  const options = inRoot(path.dirname(file), '../options.js');
  if (path.basename(path.dirname(file)) !== 'dist' || !fs.existsSync(options)) return undefined;
  const { readOptions, USAGE } = createRequire(import.meta.url)(options);
  try {
    if (readOptions(args) !== 'help') return undefined;
  } catch (error) {
    console.error(`${error.message}\n--help lists the options.`);
    return 2;
  }
  console.log(USAGE);
  return 0;
}

async function runBuilt() {
  const runner = new Runner();
  await prepare(runner, projectsFor(file));
  // Source maps make stack traces name lines of the TypeScript sources.
  const child = spawn(process.execPath, ['--enable-source-maps', built(file), ...args], {
    cwd: inRoot(),
    stdio: 'inherit',
  });
  // On Ctrl-C, the terminal sends SIGINT to the program as well. SIGTERM reaches only this process, so it is passed on.
  process.removeAllListeners('SIGINT').on('SIGINT', () => undefined);
  process.removeAllListeners('SIGTERM').on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((ended) => child.once('exit', (code, signal) => ended(code ?? (signal ? 130 : 1))));
}

try {
  process.exitCode = checkArguments() ?? (await runBuilt());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
