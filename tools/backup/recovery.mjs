import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { startPostgres } from '../postgres/postgres.mjs';
import { baseIn, restoreCommand, walIn } from './archive.mjs';
import { missingSegment } from './log-gap.mjs';

/** How long a recovery may take, ms. The limit is high because a recovery reads all of the write-ahead log since the base backup. */
const TIMEOUT_MS = 3_600_000;

let interrupted = false;

/** Returns whether this process has received a signal (SIGINT or SIGTERM) since its first call of `recover`. */
export const isInterrupted = () => interrupted;

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
 *   log has no commit after the time. Without a time, also throws when a segment of the log is missing: the server would
 *   silently restore only the state before this segment
 */
export async function recover({ folder, backup, to, home, settings = {}, prepare = () => undefined }) {
  const data = path.join(home, 'data');
  // Stops the server at a signal. Ctrl-C does not reach the server, because the server has its own session. When the server ends, the caller fails
  // and cleans up.
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      if (!interrupted) setInterval(stopServer, 100, data).unref();
      interrupted = true;
    });
  fs.cpSync(baseIn(folder, backup.name, 'data'), data, { recursive: true, mode: fs.constants.COPYFILE_FICLONE });
  fs.chmodSync(data, 0o700);
  prepare(data);
  await turn(); // lets the handlers of signals run: the synchronous copying above blocked them
  if (interrupted) throw new Error('interrupted');
  const missing = missingSegment([walIn(folder), path.join(data, 'pg_wal')], backup);
  if (missing !== undefined && to === undefined)
    throw new Error(
      `${path.join(walIn(folder), missing)} is missing, although later segments of the log exist: put it back, or give ` +
        '--to with a moment before this gap',
    );
  fs.writeFileSync(path.join(data, 'recovery.signal'), '');
  const starting = startPostgres({
    dir: home,
    timeoutMs: TIMEOUT_MS,
    settings: {
      restore_command: restoreCommand(folder),
      recovery_target_action: 'promote',
      recovery_target_timeline: backup.timeline,
      // The recovered server begins a new timeline. Its history goes to the archive only if the restored data is used (recordRestore).
      archive_mode: 'off',
      // The offset replaces Z, because Postgres reads this setting before it can resolve the names of time zones.
      ...(to !== undefined && { recovery_target_time: to.replace(/Z$/, '+00:00') }),
      // Allows no reads during the recovery. With reads, Postgres would require some settings of the new server, such as
      // max_connections, to be at least as high as those of the original server.
      hot_standby: 'off',
      ...settings,
    },
  });
  return starting.catch((error) => {
    throw endsBefore(to, error.message, missing) ?? error;
  });
}

/**
 * Returns the error for a log without a commit after the wanted time. Postgres needs such a commit, because it ends a
 * recovery there.
 * @returns {Error | undefined} undefined when the recovery failed for another reason
 */
function endsBefore(to, log, missing) {
  if (!log.includes('recovery ended before configured recovery target was reached')) return undefined;
  const last = /last completed transaction was at log time (\S+ \S+)/.exec(log)?.[1];
  const way =
    missing === undefined ? ', or omit --to to restore the newest state' : `: the segment ${missing} is missing`;
  return new Error(
    `the log has no commit after ${to}${last ? ` (its last one is from ${last})` : ''}: give an earlier --to${way}`,
  );
}

function stopServer(data) {
  try {
    const pid = Number(fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    if (pid > 0) process.kill(pid, 'SIGINT');
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error; // the server has not started, or has ended
  }
}
