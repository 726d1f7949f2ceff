import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ROOT } from '../stack/paths.mjs';

const run = promisify(execFile);

/** The folder to which Prometheus is downloaded if none is installed. Worktrees with the same PROMETHEUS_CACHE_DIR download it once. */
const CACHE = process.env.PROMETHEUS_CACHE_DIR || path.join(ROOT, '.tandem', 'prometheus-cache');
const READY_MS = 60_000;

/**
 * Finds a real Prometheus: in the folder `PROMETHEUS_BIN_DIR`, installed on this machine, or in the package of Debian or Ubuntu, which is
 * downloaded once and unpacked without installing it.
 *
 * @returns {Promise<{ prometheus: string, promtool: string }>} paths of the programs
 * @throws Error with the reason when there is no Prometheus
 */
export async function findPrometheus() {
  const named = process.env.PROMETHEUS_BIN_DIR;
  if (named) return programsIn(named);
  const installed = { prometheus: 'prometheus', promtool: 'promtool' };
  if (Object.values(installed).every(runs)) return installed;
  const cached = programsIn(CACHE);
  if (!fs.existsSync(cached.promtool)) await fetchPackage();
  if (!runs(cached.promtool)) throw new Error(`${cached.promtool} does not run here`);
  return cached;
}

/** @param {string} folder */
const programsIn = (folder) => ({
  prometheus: path.join(folder, 'prometheus'),
  promtool: path.join(folder, 'promtool'),
});

/** @param {string} program */
const runs = (program) => spawnSync(program, ['--version']).status === 0;

/** Downloads the package of Debian or Ubuntu, and moves its programs to the cache. */
async function fetchPackage() {
  if (spawnSync('apt-get', ['--version']).status !== 0 || spawnSync('dpkg-deb', ['--version']).status !== 0) {
    throw new Error(
      'prometheus and promtool are not installed, and apt-get or dpkg-deb, which would fetch them, is missing',
    );
  }
  fs.mkdirSync(CACHE, { recursive: true });
  const draft = fs.mkdtempSync(path.join(CACHE, 'draft-'));
  try {
    await run('apt-get', ['download', 'prometheus'], { cwd: draft }).catch(() => downloadWithOwnLists(draft));
    const file = fs.readdirSync(draft).find((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['--extract', file, 'content'], { cwd: draft });
    for (const program of Object.values(programsIn(path.join(draft, 'content/usr/bin'))))
      fs.renameSync(program, path.join(CACHE, path.basename(program)));
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Downloads the package with new package lists in a separate folder, for a machine whose lists are missing or old, as in a fresh
 * container.
 */
async function downloadWithOwnLists(folder) {
  for (const name of ['lists/partial', 'cache/archives/partial'])
    fs.mkdirSync(path.join(folder, name), { recursive: true });
  const own = [`Dir::State::Lists=${folder}/lists`, `Dir::Cache=${folder}/cache`].flatMap((one) => ['-o', one]);
  await run('apt-get', [...own, 'update'], { cwd: folder });
  await run('apt-get', [...own, 'download', 'prometheus'], { cwd: folder });
}

/**
 * Starts a Prometheus with a configuration, on a free port of the loopback interface.
 *
 * @param {{ program: string, config: string, folder: string }} options  `config` is a file; `folder` is for data
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startPrometheus({ program, config, folder }) {
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${folder}`, '--web.listen-address=127.0.0.1:0'];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (text) => (log += text));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline && child.exitCode === null; await delay(50)) {
    // Prometheus reports its port only in the log.
    const [, address] = /msg="Listening on"[^\n]* address=([\d.:]+)/.exec(log) ?? [];
    const ready = address && (await fetch(`http://${address}/-/ready`).catch(() => undefined));
    if (ready?.ok) return { url: `http://${address}`, stop };
  }
  await stop();
  throw new Error(`Prometheus did not start:\n${log.slice(-2_000)}`);
}
