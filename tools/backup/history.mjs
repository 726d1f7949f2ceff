/**
 * Records the full restores (without `--app`) from a folder of backups. Each full restore starts a new timeline of the
 * write-ahead log, while the log since the restored moment stays in the archive on the earlier timeline. A restore must
 * therefore follow the timeline that was in use at the wanted moment, which is often not the newest one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { copyWhole, listBackups, walIn } from './archive.mjs';

/**
 * @typedef {{ stamp: string, timeline: number, to: string, at: string }} Restore `timeline`: the new one; `to`: the
 *   restored moment; `at`: when the restore ended. Moments between `to` and `at` are on the earlier timeline.
 */

const restoresIn = (folder) => path.join(folder, 'restores');
const fileOf = (folder, stamp) => path.join(restoresIn(folder), `${stamp}.json`);
const historyFile = (timeline) => `${timeline.toString(16).toUpperCase().padStart(8, '0')}.history`;

/** Lists the full restores, oldest first. @returns {Restore[]} */
export function listRestores(folder) {
  if (!fs.existsSync(restoresIn(folder))) return [];
  return fs
    .readdirSync(restoresIn(folder))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(fs.readFileSync(path.join(restoresIn(folder), name), 'utf8')));
}

/** Returns whether a folder of backups has the record of a restore. */
export function hasRecord(folder, stamp) {
  return fs.existsSync(fileOf(folder, stamp));
}

/**
 * Chooses the base backup for a restore, and the timeline to follow. The backup is the newest backup that was
 * complete at the wanted time and that no restore before this time has undone.
 * @param {string} folder
 * @param {string} [to] ISO 8601; if omitted, the newest state
 * @returns {import('./archive.mjs').BaseBackup & { timeline: number }}
 * @throws when there is no such backup
 */
export function backupFor(folder, to) {
  const backups = listBackups(folder);
  const { timeline, periods } = historyAt(folder, to);
  const found = backups.findLast(({ stoppedAt }) =>
    periods.some(({ after, until }) => Date.parse(stoppedAt) > after && Date.parse(stoppedAt) <= until),
  );
  if (found) {
    // Earlier releases wrote no records of restores. So if there is no record, the archive's newest timeline is in use.
    const unrecorded = listRestores(folder).length === 0 ? newestTimeline(walIn(folder)) : undefined;
    return { ...found, timeline: timeline ?? unrecorded ?? timelineOf(found.firstWal) };
  }
  if (backups.some(({ stoppedAt }) => to === undefined || Date.parse(stoppedAt) <= Date.parse(to)))
    throw new Error(
      `all base backups in ${folder} that are older than ${to ?? 'now'} contain data that a restore undid`,
    );
  const none = fs.existsSync(folder) ? `${folder} has none` : `${folder} does not exist`;
  const first = backups[0] ? `the oldest one in ${folder} ended at ${backups[0].stoppedAt}` : none;
  throw new Error(`no base backup is older than ${to ?? 'now'}: ${first}`);
}

/** Returns the newest timeline whose history is in a folder; undefined if there is none. */
function newestTimeline(folder) {
  const timelines = fs
    .readdirSync(folder)
    .flatMap((name) => (/^[0-9A-F]{8}\.history$/.test(name) ? [parseInt(name, 16)] : []));
  return timelines.length === 0 ? undefined : Math.max(...timelines);
}

/** Returns the timeline of a segment: the first 8 digits of its name, in hexadecimal. */
const timelineOf = (segment) => parseInt(segment.slice(0, 8), 16);

/**
 * Returns the timeline that was in use at a moment, and the periods that lead to the state of that moment. A base
 * backup is useful only if it ended in one of these periods.
 *
 * @param {string} folder
 * @param {string} [to] ISO 8601; if omitted, now
 * @returns {{ timeline: number | undefined, periods: { after: number, until: number }[] }} timeline: undefined when
 *   nothing was restored before the moment, because the timeline is then that of the base backup. Times in milliseconds
 */
function historyAt(folder, to) {
  const periods = [];
  let timeline;
  let until = to === undefined ? Infinity : Date.parse(to);
  for (const restore of listRestores(folder).reverse()) {
    const at = Date.parse(restore.at);
    if (at > until) continue;
    timeline ??= restore.timeline;
    periods.push({ after: at, until });
    until = Date.parse(restore.to);
  }
  return { timeline, periods: [...periods, { after: -Infinity, until }] };
}

/**
 * Records a restore, and adds the history of its timeline to the archive.
 * @param {string} folder
 * @param {{ stamp: string, to?: string, wal: string }} restore `to`: if omitted, the end of the archive; `wal`: pg_wal
 *   of the restored server
 */
export function recordRestore(folder, { stamp, to, wal }) {
  const timeline = newestTimeline(wal);
  const at = new Date().toISOString();
  fs.mkdirSync(restoresIn(folder), { recursive: true });
  const draft = `${fileOf(folder, stamp)}.part`;
  fs.writeFileSync(draft, `${JSON.stringify({ stamp, timeline, to: to ?? at, at }, null, 2)}\n`);
  fs.renameSync(draft, fileOf(folder, stamp));
  // The record is written before the history, because `forgetRestore` finds the history by the record.
  copyWhole(path.join(wal, historyFile(timeline)), path.join(walIn(folder), historyFile(timeline)));
}

/**
 * Removes the record of a restore that did not end, and the history of its timeline. Without a record, does nothing.
 */
export function forgetRestore(folder, stamp) {
  if (!hasRecord(folder, stamp)) return;
  const restore = JSON.parse(fs.readFileSync(fileOf(folder, stamp), 'utf8'));
  fs.rmSync(path.join(walIn(folder), historyFile(restore.timeline)), { force: true });
  fs.rmSync(fileOf(folder, stamp));
}
