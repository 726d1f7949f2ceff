import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { HOME, PIDS_FILE, readJson, RUNNER_FILE, STACK_FILE } from './paths.mjs';

const LEAVES_BY_ITSELF_MS = 12_000;

const describeRunner = (runner, url) =>
  `Tandem runs already (process ${runner})${url ? ` and serves ${url}` : ''}. Stop it first with Ctrl-C or: kill ${runner}\n` +
  'A second stack at the same time needs its own folder and ports: TANDEM_DIR=.tandem-2 EDGE_PORT=… npm start';

/** Finds another process that runs `npm start` here, if any. @returns {number | undefined} its id */
export function runningStart() {
  if (!fs.existsSync(RUNNER_FILE)) return undefined;
  const runner = Number(fs.readFileSync(RUNNER_FILE, 'utf8'));
  return isOtherProcess(runner, 'start.mjs') ? runner : undefined;
}

/**
 * Registers this process as the one that runs the stack.
 *
 * @param {(runner: number, url?: string) => string} [describe]  the error text for an `npm start` that already runs here
 * @throws when an `npm start` already runs here
 */
export function claimStack(describe = describeRunner) {
  fs.mkdirSync(HOME, { recursive: true });
  for (;;) {
    try {
      fs.writeFileSync(RUNNER_FILE, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const runner = runningStart();
    if (runner !== undefined) throw new Error(describe(runner, readJson(STACK_FILE)?.baseUrl));
    fs.rmSync(RUNNER_FILE, { force: true }); // the registered process no longer runs
  }
}

export function releaseStack() {
  for (const file of [STACK_FILE, PIDS_FILE]) fs.rmSync(file, { force: true });
  releaseClaim();
}

/** Removes only the registration of this process, and keeps stack.json and pids.json. */
export function releaseClaim() {
  fs.rmSync(RUNNER_FILE, { force: true });
}

/**
 * Ends the programs that a killed runner has left running: sends SIGTERM, and kills the programs that do not end within 12 s. Ignores a
 * process id that now belongs to another program.
 * @param {(line: string) => void} report
 */
export async function endLeftovers(report) {
  const left = Object.entries(readJson(PIDS_FILE)?.processes ?? {}).flatMap(([name, { pid, host, file }]) =>
    [host, pid].filter((id, index, ids) => id && ids.indexOf(id) === index).map((id) => ({ name, id, file })),
  );
  const running = () => left.filter(({ id, file }) => commandLine(id).includes(file));
  if (running().length === 0) return;
  report(
    `ending the programs that an earlier start has left running: ${running()
      .map(({ name, id }) => `${name} (${id})`)
      .join(', ')}`,
  );
  for (const { id } of running()) signal(id, 'SIGTERM');
  for (const deadline = Date.now() + LEAVES_BY_ITSELF_MS; running().length > 0; await delay(50)) {
    if (Date.now() > deadline) for (const { id } of running()) signal(id, 'SIGKILL');
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * Returns whether an id belongs to a process that is not this one and has a command line that contains a text. On Windows, where the
 * command line is not known, returns whether any other process has this id.
 * @param {number} pid  0 or NaN if there is none
 * @param {string} text
 */
export function isOtherProcess(pid, text) {
  // In a container, this process may have the same id as the earlier process that is looked for.
  if (!(pid > 0) || pid === process.pid) return false;
  return process.platform === 'win32' ? exists(pid) : commandLine(pid).includes(text);
}

function exists(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** Returns the command line of a process, or an empty text if there is no such process. */
function commandLine(pid) {
  try {
    if (process.platform === 'linux') return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
