import fs from 'node:fs';
import path from 'node:path';
import { startPostgres } from '../postgres/postgres.mjs';
import { baseIn, restoreCommand } from './archive.mjs';

/** How long a recovery may take: it reads all of the write-ahead log since the base backup. */
const TIMEOUT_MS = 3_600_000;

/**
 * Starts a server on a copy of a base backup, and lets the server recover to a time. Resolves when the server serves
 * the state of that time.
 *
 * @param {object} options
 * @param {string} options.folder the folder of backups
 * @param {ReturnType<typeof import('./history.mjs').backupFor>} options.backup the base backup with which to begin, and the
 *   timeline to follow
 * @param {string} [options.to] ISO 8601; if omitted, the end of the archived log
 * @param {string} options.home the folder of the new server: it must contain the superuser's `password`, and gets
 *   `data/`
 * @param {Record<string, string>} [options.settings] more settings of the server
 * @param {(data: string) => void} [options.prepare] called with the data folder before the start
 * @throws when the server does not reach the time; the message contains the server's log, or explains that the archived
 *   log has no commit after the time
 */
export async function recover({ folder, backup, to, home, settings = {}, prepare = () => undefined }) {
  const data = path.join(home, 'data');
  fs.cpSync(baseIn(folder, backup.name, 'data'), data, { recursive: true, mode: fs.constants.COPYFILE_FICLONE });
  fs.chmodSync(data, 0o700);
  prepare(data);
  fs.writeFileSync(path.join(data, 'recovery.signal'), '');
  // The server has its own session, so that Ctrl-C does not reach it; these handlers stop it instead. When the server
  // ends, the caller fails and cleans up.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => setInterval(stopServer, 100, data).unref());
  const starting = startPostgres({
    dir: home,
    timeoutMs: TIMEOUT_MS,
    settings: {
      restore_command: restoreCommand(folder),
      recovery_target_action: 'promote',
      recovery_target_timeline: backup.timeline,
      // The timeline that begins here goes to the archive only if the restored data is used (recordRestore).
      archive_mode: 'off',
      // Postgres reads this setting before it can resolve the names of time zones, such as Z.
      ...(to !== undefined && { recovery_target_time: to.replace(/Z$/, '+00:00') }),
      // Without read access during the recovery, the settings of the new server may differ from those of the original
      // one.
      hot_standby: 'off',
      ...settings,
    },
  });
  return starting.catch((error) => {
    throw endsBefore(to, error.message) ?? error;
  });
}

/**
 * Explains why a recovery failed: Postgres ends a recovery at the first commit after the wanted time, and the log has no
 * such commit.
 * @returns {Error | undefined} undefined when the recovery failed for another reason
 */
function endsBefore(to, log) {
  if (!log.includes('recovery ended before configured recovery target was reached')) return undefined;
  const last = /last completed transaction was at log time (\S+ \S+)/.exec(log)?.[1];
  return new Error(
    `the log has no commit after ${to}${last ? ` (its last one is from ${last})` : ''}: give an earlier --to, ` +
      'or omit --to to restore the newest state',
  );
}

function stopServer(data) {
  const file = path.join(data, 'postmaster.pid');
  if (fs.existsSync(file)) process.kill(Number(fs.readFileSync(file, 'utf8').split('\n')[0]), 'SIGINT');
}
