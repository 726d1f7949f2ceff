/** `npm run backup`: takes a base backup of the Postgres that `npm start` runs, while that Postgres runs. */
import '../stack/node-version.mjs';
import fs from 'node:fs';
import path from 'node:path';
import { step } from '../stack/console.mjs';
import { takeBaseBackup } from '../postgres/base-backup.mjs';
import { readStack } from '../stack/stack-file.mjs';
import {
  archiveCommand,
  archiveUntilNow,
  baseIn,
  copyHistories,
  listBackups,
  makeWritable,
  prune,
  removeIncomplete,
  walIn,
} from './archive.mjs';
import { folderOf, run, UsageError, withClient } from './command.mjs';

const USAGE = `npm run backup [-- options]

Takes a base backup of the Postgres that npm start runs here. The first call makes the server archive its write-ahead log, which needs one
restart: it takes no backup yet, says what to do next, and ends with exit code 1. From the first backup on, npm run restore can restore any
moment. Keep the folder on another disk, and back up .tandem/secrets.json separately: rows are encrypted with its keys.

  --folder F   the folder of backups (default: .tandem/backup)
  --keep N     deletes all but the newest N base backups, and the log that only the deleted ones need
  --list       lists the base backups, and does not take a new one
  --off        stops the archiving; the backups stay, but moments after the stop cannot be restored
  --help
`;

const OPTIONS = /** @type {const} */ ({
  folder: { type: 'string' },
  keep: { type: 'string' },
  list: { type: 'boolean' },
  off: { type: 'boolean' },
});

await run(USAGE, OPTIONS, async ({ folder: given, keep, list, off }) => {
  const folder = folderOf(given);
  if (keep !== undefined && !/^[1-9]\d{0,3}$/.test(keep))
    throw new UsageError('--keep must be a whole number from 1 to 9999');
  if (list) return console.log(listBackups(folder).map(lineOf).join('\n') || `${folder} has no base backup.`);
  return withClient(readStack().postgres.url, async (client) => {
    if (off) return endArchiving(client);
    if (!(await startArchiving(client, folder))) return 1;
    const backup = await step('base backup', () => takeBackup(client, folder));
    console.log(`${lineOf(backup)}\nRestore it, or any later moment: npm run restore -- --help`);
    if (keep !== undefined) for (const name of prune(folder, Number(keep))) console.log(`deleted ${name}`);
  });
});

function lineOf({ name, stoppedAt, bytes }) {
  return `${name}  ${(bytes / 1e6).toFixed(0)} MB, for moments from ${stoppedAt} on`;
}

/**
 * Configures archiving.
 * @returns {Promise<boolean>} whether the server archives now; false when it must be restarted first
 */
async function startArchiving(client, folder) {
  const { rows } =
    await client.query(`select current_setting('archive_mode') as mode, current_setting('archive_command') as command,
    current_setting('data_directory') as data`);
  const [{ mode, command, data }] = rows;
  if (!fs.existsSync(data))
    throw new Error(`the server's folder ${data} is not on this machine: use pg_basebackup or pgBackRest`);
  const wanted = archiveCommand(folder);
  const isOurs = command === '' || command === '(disabled)' || command === wanted;
  if (mode !== 'off' && !isOurs)
    throw new Error(
      `the server archives by another command: ${command}\n` +
        'If this is the right folder, give it by --folder. To use another folder: run npm run backup -- --off, restart the stack, and run this again.',
    );
  makeWritable(walIn(folder), data);
  await assertServerWrites(client, walIn(folder));
  copyHistories(path.join(data, 'pg_wal'), walIn(folder));
  // Checks the setting for the next start, because `--off` may have turned archiving off from the next start on.
  const { rows: next } = await client.query(
    `select setting from pg_file_settings where name = 'archive_mode' order by seqno desc limit 1`,
  );
  if (command !== wanted || !['on', 'always'].includes(next[0]?.setting)) {
    await client.query(`alter system set archive_mode = 'on'`);
    await client.query(`alter system set archive_command = ${client.escapeLiteral(wanted)}`);
    await client.query('select pg_reload_conf()');
  }
  if (mode !== 'off') return true;
  console.log(`No backup was taken yet: Postgres archives its log only after a restart. Next:
  1. Stop the stack (Ctrl-C), and start it again: npm start
  2. Run npm run backup again. It takes the first backup, and later moments can then be restored.
Postgres will archive to ${walIn(folder)}.`);
  return false;
}

/** Checks that the server can write to the archive, because the server may run as another account than this command. */
async function assertServerWrites(client, wal) {
  const probe = path.join(wal, '.probe');
  try {
    await client.query(`copy (select 1) to ${client.escapeLiteral(probe)}`);
  } catch (error) {
    throw new Error(`Postgres cannot write to ${wal}: ${error.message}`, { cause: error });
  } finally {
    fs.rmSync(probe, { force: true });
  }
}

async function endArchiving(client) {
  for (const name of ['archive_mode', 'archive_command']) await client.query(`alter system reset ${name}`);
  console.log('Postgres stops archiving when it is restarted: stop the stack (Ctrl-C), and start it again.');
}

/**
 * Copies the server's data folder between the start and the end of a backup, in one session, as PostgreSQL's low-level
 * backup API requires.
 */
async function takeBackup(client, folder) {
  const { rows: locks } = await client.query(`select pg_try_advisory_lock(hashtext('tandem-backup')) as taken`);
  if (!locks[0].taken) throw new Error('another backup of this server is running');
  removeIncomplete(folder);
  const name = new Date().toISOString().replaceAll(':', '-');
  try {
    const about = await takeBaseBackup(client, baseIn(folder, name, 'data'), name);
    await archiveUntilNow(client, folder);
    const draft = baseIn(folder, name, 'backup.json.part');
    fs.writeFileSync(draft, `${JSON.stringify(about, null, 2)}\n`);
    fs.renameSync(draft, baseIn(folder, name, 'backup.json'));
    return { name, ...about };
  } catch (error) {
    fs.rmSync(path.join(folder, 'base', name), { recursive: true, force: true });
    throw error;
  }
}
