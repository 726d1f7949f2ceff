/**
 * A folder with the backups of one server: `base/<time>` holds base backups, and `wal` holds the segments of the
 * write-ahead log that the server has archived. A server can be restored to any moment from the end of its oldest base
 * backup to the end of the archived log.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inHome } from '../stack/paths.mjs';

/** @typedef {{ name: string, stoppedAt: string, firstWal: string, bytes: number }} BaseBackup */

const SEGMENT = /^[0-9A-F]{24}$/;
const HISTORY = /^[0-9A-F]{8}\.history$/;
const SEGMENT_BYTES = 16n << 20n;
const ARCHIVE_TIMEOUT_MS = 60_000;

export const baseIn = (folder, name, ...parts) => path.join(folder, 'base', name, ...parts);
export const walIn = (folder) => path.join(folder, 'wal');

/** Lists the complete base backups of a folder, oldest first. @returns {BaseBackup[]} */
export function listBackups(folder) {
  if (!fs.existsSync(path.join(folder, 'base'))) return [];
  return fs
    .readdirSync(path.join(folder, 'base'))
    .sort()
    .filter((name) => fs.existsSync(baseIn(folder, name, 'backup.json')))
    .map((name) => ({ name, ...JSON.parse(fs.readFileSync(baseIn(folder, name, 'backup.json'), 'utf8')) }));
}

/** Removes incomplete base backups, which remain when a backup is killed. */
export function removeIncomplete(folder) {
  const complete = new Set(listBackups(folder).map(({ name }) => name));
  for (const name of fs.existsSync(path.join(folder, 'base')) ? fs.readdirSync(path.join(folder, 'base')) : [])
    if (!complete.has(name)) fs.rmSync(baseIn(folder, name), { recursive: true });
}

/**
 * Returns the shell command with which a server archives a segment. Except on Windows, the command ends with a rename,
 * so that a segment in the archive is either complete or absent.
 * @throws when the folder's path contains a character that a shell would interpret
 */
export function archiveCommand(folder) {
  const wal = shellPath(walIn(folder));
  if (process.platform === 'win32') return `copy "%p" "${wal}\\%f"`;
  return `cp "%p" "${wal}/%f.part" && mv "${wal}/%f.part" "${wal}/%f"`;
}

/**
 * Makes a stopped server archive its log to the given folder of backups after its next start. Otherwise, a restored server would use the setting in
 * the base backup, which may name another folder. The log must be in the same folder as the records of restores (history.mjs), because the records
 * refer to the log.
 * @param {string} folder the folder of backups
 * @param {string} data the server's data folder
 */
export function archiveTo(folder, data) {
  const quoted = archiveCommand(folder).replaceAll('\\', '\\\\').replaceAll("'", "''");
  const line = `archive_command = '${quoted}'`;
  const file = path.join(data, 'postgresql.auto.conf');
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  // If a setting is in the file several times, the last line counts.
  if (lines.findLast((one) => one.startsWith('archive_command ')) !== line) fs.appendFileSync(file, `${line}\n`);
}

/**
 * Creates the archive's folder, and lets the server's account write to it.
 * @param {string} wal
 * @param {string} data a data folder that a server has used: the owner of this folder becomes the owner of the archive
 */
export function makeWritable(wal, data) {
  fs.mkdirSync(wal, { recursive: true, mode: 0o755 });
  const { uid, gid } = fs.statSync(data);
  if (process.getuid?.() === 0) fs.chownSync(wal, uid, gid);
}

/** Returns the shell command with which a server that is being restored reads an archived segment. */
export function restoreCommand(folder) {
  const wal = shellPath(walIn(folder));
  return process.platform === 'win32' ? `copy "${wal}\\%f" "%p"` : `cp "${wal}/%f" "%p"`;
}

function shellPath(file) {
  if (/["$`\\\n]/.test(process.platform === 'win32' ? file.replaceAll('\\', '') : file))
    throw new Error(
      `the folder of backups must have a path without double quotes, backticks, $ and backslashes: ${file}`,
    );
  return file.replaceAll('%', '%%');
}

/**
 * Makes the server archive its log up to now, so that a restore can reach any moment until now.
 * @param {import('pg').Client} client of a superuser
 * @throws when the segment is not in the archive within a minute
 */
export async function archiveUntilNow(client, folder) {
  // A restore to a time needs a later commit at which it can stop. In case nothing else is committed, this statement causes a commit.
  await client.query('select pg_current_xact_id()');
  const { rows } = await client.query(`select pg_walfile_name(pg_create_restore_point('tandem')) as file`);
  await client.query('select pg_switch_wal()');
  const file = path.join(walIn(folder), rows[0].file);
  for (const deadline = Date.now() + ARCHIVE_TIMEOUT_MS; !fs.existsSync(file); await delay(50)) {
    if (Date.now() < deadline) continue;
    throw new Error(
      `the server did not archive ${file} in ${ARCHIVE_TIMEOUT_MS / 1000} s: the server's log has the reason (of npm start: ${inHome('logs', 'postgres.log')})`,
    );
  }
}

/**
 * Copies the written segments that `to` does not contain, such as those that a stopped server has not archived.
 *
 * If `from` has the history of a timeline, but the archive does not have the same history, leaves out the segments of this timeline: another server
 * may have used the same number for its own timeline. This can happen when a folder of backups was copied, and one server was restored from the
 * original and another from the copy.
 * @param {string} from
 * @param {string} to
 * @param {string} archive the folder with the archived histories
 */
export function copySegments(from, to, archive) {
  if (!fs.existsSync(from)) return;
  for (const name of fs.readdirSync(from).filter((name) => SEGMENT.test(name)))
    if (!fs.existsSync(path.join(to, name)) && isWritten(path.join(from, name)) && sameHistory(name, from, archive))
      copyWhole(path.join(from, name), path.join(to, name));
}

/** Returns true if a folder has no history of a segment's timeline, or if the archive has the same history of this timeline. */
function sameHistory(segment, folder, archive) {
  const [own, archived] = [folder, archive].map((one) =>
    readIfExists(path.join(one, `${segment.slice(0, 8)}.history`)),
  );
  // A server that was started from a base backup may lack the histories of earlier timelines.
  return own === undefined || own === archived;
}

function readIfExists(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}

/**
 * Returns whether a server has written to a segment. Postgres renames old segments to the names of future ones. Until the server writes to a renamed
 * segment, the segment begins with its old address (`xlp_pageaddr` of PostgreSQL's XLogPageHeaderData).
 */
function isWritten(file) {
  const header = Buffer.alloc(16);
  const descriptor = fs.openSync(file, 'r');
  fs.readSync(descriptor, header, 0, header.length, 0);
  fs.closeSync(descriptor);
  const [, log, segment] = path
    .basename(file)
    .match(/.{8}/g)
    .map((digits) => BigInt(`0x${digits}`));
  const address = os.endianness() === 'LE' ? header.readBigUInt64LE(8) : header.readBigUInt64BE(8);
  return address === (log << 32n) + segment * SEGMENT_BYTES;
}

/**
 * Copies the histories of a server's timelines to the archive, because a restore cannot follow a timeline whose history is not there. The archive
 * lacks a history if its folder was created after the timeline had begun.
 * @param {string} from the server's `pg_wal`
 * @param {string} archive
 * @throws when the archive has another history of a timeline, which means that it is the archive of another server
 */
export function copyHistories(from, archive) {
  for (const name of fs.readdirSync(from).filter((name) => HISTORY.test(name))) {
    const archived = readIfExists(path.join(archive, name));
    if (archived === undefined) copyWhole(path.join(from, name), path.join(archive, name));
    else if (archived !== readIfExists(path.join(from, name)))
      throw new Error(`${path.join(archive, name)} is from another server: use another folder of backups`);
  }
}

/** Copies a file so that, at any moment, the copy is complete or absent. If this process runs as root, the copy gets the owner of its folder. */
export function copyWhole(from, to) {
  const [draft, { uid, gid }] = [`${to}.part`, fs.statSync(path.dirname(to))];
  fs.copyFileSync(from, draft);
  if (process.getuid?.() === 0) fs.chownSync(draft, uid, gid); // the server may run as another account
  fs.renameSync(draft, to);
}

/**
 * Deletes all base backups except the newest `keep`, and the segments that only the deleted backups need.
 * @returns the names of the deleted backups
 */
export function prune(folder, keep) {
  const backups = listBackups(folder);
  const old = backups.slice(0, Math.max(0, backups.length - keep));
  for (const { name } of old) {
    fs.rmSync(baseIn(folder, name, 'backup.json')); // first, so that a backup that is only partly deleted does not count as complete
    fs.rmSync(baseIn(folder, name), { recursive: true });
  }
  // `first` is the lowest position at which a kept backup begins; all segments from there on are kept. After a restore, the oldest kept backup may
  // begin at a higher position than a newer one. A segment's position is the part of its name after the timeline.
  const [first] = backups
    .slice(old.length)
    .map(({ firstWal }) => firstWal.slice(8))
    .sort();
  const unneeded = (name) => SEGMENT.test(name) && name.slice(8) < first;
  if (old.length > 0)
    for (const name of fs.readdirSync(walIn(folder)).filter(unneeded)) fs.rmSync(path.join(walIn(folder), name));
  return old.map(({ name }) => name);
}
