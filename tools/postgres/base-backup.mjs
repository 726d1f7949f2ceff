import fs from 'node:fs';
import path from 'node:path';

/**
 * Folders whose content is not part of a backup, because the server creates it again or reads it from the write-ahead
 * log.
 */
const EMPTY = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
const LEFT_OUT = /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|recovery\.signal|standby\.signal)$/;

/**
 * Takes a base backup of a running server on this machine, by PostgreSQL's low-level API. A restore of the copy needs
 * the write-ahead log from the segment `firstWal` on.
 *
 * @param {import('pg').Client} client of a superuser; its session must stay open
 * @param {string} to a folder that does not exist yet
 * @param {string} label
 * @returns {Promise<{ stoppedAt: string, firstWal: string, bytes: number }>} bytes: the size of the copied files
 */
export async function takeBaseBackup(client, to, label) {
  const { rows: starts } = await client.query(
    `select pg_walfile_name(pg_backup_start($1, fast => true)) as wal, current_setting('data_directory') as data`,
    [label],
  );
  const bytes = copyData(starts[0].data, to);
  const { rows } = await client.query(
    `select labelfile, spcmapfile, clock_timestamp() as at from pg_backup_stop(wait_for_archive => false)`,
  );
  const { labelfile, spcmapfile, at } = rows[0];
  fs.writeFileSync(path.join(to, 'backup_label'), labelfile, { mode: 0o600 });
  if (spcmapfile) fs.writeFileSync(path.join(to, 'tablespace_map'), spcmapfile, { mode: 0o600 });
  return { stoppedAt: at.toISOString(), firstWal: starts[0].wal, bytes };
}

/**
 * Copies files that may change or disappear during the copy; recovery repairs them from the write-ahead log.
 * @returns the number of copied bytes
 */
function copyData(from, to) {
  fs.mkdirSync(to, { recursive: true, mode: 0o700 });
  let bytes = 0;
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (LEFT_OUT.test(entry.name)) continue;
    if (entry.isSymbolicLink())
      throw new Error(`${source} is a tablespace or a link: use pg_basebackup for this server`);
    try {
      if (EMPTY.includes(entry.name)) fs.mkdirSync(target, { mode: 0o700 });
      else if (entry.isDirectory()) bytes += copyData(source, target);
      else {
        fs.copyFileSync(source, target, fs.constants.COPYFILE_FICLONE);
        bytes += fs.statSync(target).size;
      }
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  return bytes;
}
