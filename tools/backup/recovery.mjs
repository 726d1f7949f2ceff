import fs from 'node:fs';
import path from 'node:path';
import { startPostgres } from '../postgres/postgres.mjs';
import { baseIn, restoreCommand } from './archive.mjs';

/** How long a recovery may take: it reads the whole log since the base backup. */
const TIMEOUT_MS = 3_600_000;

/**
 * Starts a server on a copy of a base backup, and lets it recover to a time. Resolves when the server serves that state.
 *
 * @param {object} options
 * @param {string} options.folder the folder of backups
 * @param {import('./archive.mjs').BaseBackup} options.backup where to begin
 * @param {string} [options.to] ISO 8601; left out for everything that was archived
 * @param {string} options.home the folder of the new server: it gets `data/`, and must have the superuser's `password`
 * @param {Record<string, string>} [options.settings] more settings of the server
 * @param {(data: string) => void} [options.prepare] called with the data folder before the start
 * @throws when the server does not reach the time: the message has its log
 */
export async function recover({ folder, backup, to, home, settings = {}, prepare = () => undefined }) {
  const data = path.join(home, 'data');
  fs.cpSync(baseIn(folder, backup.name, 'data'), data, { recursive: true, mode: fs.constants.COPYFILE_FICLONE });
  fs.chmodSync(data, 0o700);
  prepare(data);
  fs.writeFileSync(path.join(data, 'recovery.signal'), '');
  // The server has a session of its own, so that Ctrl-C does not reach it. When it ends, the caller fails and cleans up.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => setInterval(stopServer, 100, data).unref());
  return startPostgres({
    dir: home,
    timeoutMs: TIMEOUT_MS,
    settings: {
      restore_command: restoreCommand(folder),
      recovery_target_action: 'promote',
      // Postgres reads this setting before it knows the names of time zones, such as Z.
      ...(to !== undefined && { recovery_target_time: to.replace(/Z$/, '+00:00') }),
      // Nobody reads during the recovery, and so the settings of the two servers may differ.
      hot_standby: 'off',
      ...settings,
    },
  });
}

function stopServer(data) {
  const file = path.join(data, 'postmaster.pid');
  if (fs.existsSync(file)) process.kill(Number(fs.readFileSync(file, 'utf8').split('\n')[0]), 'SIGINT');
}
