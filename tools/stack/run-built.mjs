/**
 * `node run-built.mjs FILE ARGUMENT …` installs missing packages, builds what has changed, then runs the built program and exits with its
 * exit code.
 */
import './node-version.mjs';

const { spawn } = await import('node:child_process');
const { built, prepare, projectsFor } = await import('./install.mjs');
const { inRoot } = await import('./paths.mjs');
const { Runner } = await import('./runner.mjs');

const [file, ...args] = process.argv.slice(2);
try {
  const runner = new Runner();
  await prepare(runner, projectsFor(file));
  const child = spawn(process.execPath, [built(file), ...args], { cwd: inRoot(), stdio: 'inherit' });
  // On Ctrl-C, the terminal sends SIGINT to the program as well. SIGTERM reaches only this process, so it is passed on.
  process.removeAllListeners('SIGINT').on('SIGINT', () => undefined);
  process.removeAllListeners('SIGTERM').on('SIGTERM', () => child.kill('SIGTERM'));
  process.exitCode = await new Promise((ended) =>
    child.once('exit', (code, signal) => ended(code ?? (signal ? 130 : 1))),
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
