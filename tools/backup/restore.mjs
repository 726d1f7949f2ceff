/** `npm run restore`: restores the Postgres that `npm start` runs, or the rows of some apps, to an earlier moment. */
import '../stack/node-version.mjs';
import fs from 'node:fs';
import path from 'node:path';
import { DISPOSABLE, RESTORING } from '../postgres/postgres.mjs';
import { step } from '../stack/console.mjs';
import { installOnce } from '../stack/install.mjs';
import { isOtherProcess, runningStart } from '../stack/instance.mjs';
import { inHome } from '../stack/paths.mjs';
import { readStack } from '../stack/stack-file.mjs';
import { archiveTo, archiveUntilNow, baseIn, copySegments, makeWritable, walIn } from './archive.mjs';
import { repeatChanges } from './audited-changes.mjs';
import { appsOf, busOf, folderOf, pastTime, run, UsageError, usesPostgresBus, withClient } from './command.mjs';
import { backupFor, forgetRestore, hasRecord, recordRestore } from './history.mjs';
import { notePreviousData, previousData } from './previous-data.mjs';
import { isInterrupted, recover } from './recovery.mjs';
import { replaceRows, rewindGroup } from './schema-copy.mjs';
import { discardWork, leftWork, startWork } from './work-folder.mjs';

const USAGE = `npm run restore -- [--to TIME] [--app NAME …] [options]

Without --app: restores everything, while the stack is stopped. The previous data is kept next to the restored data until you delete it.
With --app: replaces the rows of these apps in the running Postgres, in one transaction, while these apps are stopped (npm start --
--without NAME). On the Postgres bus, the apps then handle the events since TIME again. docs/restore.md has the steps that follow.

  --to TIME     the moment, ISO 8601 with a time zone; if omitted (only without --app), the end of the archive
  --app NAME    an app, or all; can be repeated
  --folder F    the folder of backups (default: .tandem/backup)
  --from URL    with --app: a server that was restored to TIME by other means, as superuser
  --url URL     with --app: the server to change, as superuser (default: the stack that runs here)
  --bus NAME    with --app: postgres or kafka (default: that of the stack; with --url, postgres if the server has a schema bus)
  --help
`;

const OPTIONS = /** @type {const} */ ({
  to: { type: 'string' },
  app: { type: 'string', multiple: true },
  folder: { type: 'string' },
  from: { type: 'string' },
  url: { type: 'string' },
  bus: { type: 'string' },
});

/** Whether the restore has begun to change the data of the server. */
let isChanged = false;

await run(USAGE, OPTIONS, async ({ to: given, app, folder: inFolder, from, url, bus: onBus }) => {
  const [to, apps, folder, bus] = [pastTime('--to', given), appsOf(app), folderOf(inFolder), busOf(onBus)];
  if (apps.length > 0 && to === undefined) throw new UsageError('--app needs --to');
  if (apps.length === 0 && (from ?? url ?? bus) !== undefined)
    throw new UsageError('--from, --url and --bus need --app');
  installOnce(); // before anything is created or deleted, because the recovery needs the Postgres of node_modules
  const work = apps.length > 0 ? restoreApps({ apps, to, folder, from, url, bus }) : restoreAll({ to, folder });
  return work.catch((error) => {
    throw isInterrupted() && !isChanged ? new Error('Interrupted: nothing was changed.') : error;
  });
});

/**
 * Records that the changes begin. Call this directly before the first change to the data of the server. @throws when a signal has interrupted the
 * restore
 */
function beginChanges() {
  if (isInterrupted()) throw new Error('interrupted');
  isChanged = true;
}

/**
 * Replaces the server's data folder with a recovered one, which is prepared in a folder next to it. If the command is
 * killed, either the previous data is still in place, or Postgres refuses to start until the command is run again.
 */
async function restoreAll({ to, folder }) {
  const home = inHome('postgres');
  const [data, work, password] = ['data', RESTORING, 'password'].map((name) => path.join(home, name));
  assertNotServed(data);
  await discardWork(inHome(RESTORING));
  await endInterrupted(home, folder);
  const backup = backupFor(folder, to);
  assertWritable(folder);
  if (!fs.existsSync(password))
    throw new Error(`${password} is missing: copy it back, together with the secrets (docs/restore.md, "Back up")`);
  const stamp = new Date().toISOString().replaceAll(':', '-');
  const restored = path.join(work, 'data');
  const hadData = fs.existsSync(data);
  let last;
  startWork(work, { stamp, folder, backup: backup.name });
  try {
    fs.copyFileSync(password, path.join(work, 'password'));
    const prepare = () => {
      copySegments(path.join(data, 'pg_wal'), path.join(restored, 'pg_wal'), walIn(folder));
      archiveTo(folder, restored);
    };
    const server = await step(`recovery from ${backup.name}`, () =>
      recover({ folder, backup, to, home: work, prepare }),
    );
    try {
      if (to === undefined) last = (await withClient(server.url, lastCommit)) ?? backup.stoppedAt;
    } finally {
      await server.stop();
    }
    beginChanges(); // everything below is synchronous, so no later signal can interrupt the changes
    makeWritable(walIn(folder), restored);
    assertNotServed(data); // checks this again, because a server may have been started during the recovery
    // From here on, Postgres refuses to start until the restore has ended: no server may run before its timeline is recorded.
    if (hadData) fs.renameSync(data, previousData(home, stamp));
    recordRestore(folder, { stamp, to, wal: path.join(restored, 'pg_wal') });
  } catch (error) {
    undoRestore(home, stamp, [folder]);
    throw error;
  }
  fs.renameSync(restored, data);
  endRestore(home, stamp, folder);
  const reached = to ?? `the end of the archive; its last commit is from ${last}`;
  console.log(`Restored to ${reached}.
Next: npm start; then ask billing and the vendor to send their webhooks since then again, and run:
  npm run repair -- --since ${to ?? last}${notePreviousData(home)}`);
}

/** Returns the time of the last commit that a server has read in its recovery. @returns {Promise<string | undefined>} */
async function lastCommit(client) {
  const { rows } = await client.query('select pg_last_xact_replay_timestamp() as at');
  return rows[0].at?.toISOString();
}

/** Checks that the restored server can archive. @throws with the folder's name */
function assertWritable(folder) {
  try {
    for (const one of [folder, walIn(folder)]) fs.accessSync(one, fs.constants.W_OK);
  } catch (error) {
    throw new Error(`${folder} must be writable, because the restored server archives to it: ${error.message}`);
  }
}

/**
 * Ends a restore whose data is in place. Archives the end of the previous data's log, because a later restore may go to a moment that this restore
 * undoes.
 */
function endRestore(home, stamp, folder) {
  copySegments(path.join(previousData(home, stamp), 'pg_wal'), walIn(folder), walIn(folder));
  fs.rmSync(path.join(home, RESTORING), { recursive: true });
}

/**
 * Ends a restore that was killed. If its data is in place, archives the end of the previous data's log. Otherwise puts the previous data back, and
 * forgets the restore.
 * @param {string} home
 * @param {string} folder the folder of backups; if it was moved after the restore had begun, the note of the restore contains the old path
 * @throws when that restore was not killed and still runs, or when the folder of its backups is not found
 */
async function endInterrupted(home, folder) {
  const work = path.join(home, RESTORING);
  if (!fs.existsSync(work)) return;
  const note = await leftWork(work);
  if (note === null) return fs.rmSync(work, { recursive: true }); // killed before it had a note
  const [data, previous] = [path.join(home, 'data'), previousData(home, note.stamp)];
  const isInPlace = !fs.existsSync(path.join(work, 'data')); // also true if the data was lost or moved after it had been put in place
  const folders = [note.folder, folder];
  if (isInPlace && !fs.existsSync(previous)) return fs.rmSync(work, { recursive: true }); // nothing is left to archive
  if (!isInPlace && fs.existsSync(data)) return undoRestore(home, note.stamp, folders);
  const used = folders.find((one) => hasRecord(one, note.stamp) || hasBackup(one, note.backup));
  if (used === undefined) {
    const wayOut = isInPlace ? '' : `rename ${previous} to ${data}, and `;
    throw new Error(
      `a restore from ${note.folder} was interrupted, and its backups are neither there nor in ${folder}: ` +
        `name the folder that has them by --folder. If they are lost: ${wayOut}delete ${work}`,
    );
  }
  if (!isInPlace) return undoRestore(home, note.stamp, folders);
  endRestore(home, note.stamp, used);
  console.log('The interrupted restore had put its data in place. It is complete now, and another one begins.');
}

/**
 * Returns whether a folder of backups has a backup.
 * @param {string} folder
 * @param {string} [name] the name of the backup; if omitted, returns whether the folder has an archive: notes of earlier releases have no name
 */
function hasBackup(folder, name) {
  return fs.existsSync(name === undefined ? walIn(folder) : baseIn(folder, name, 'backup.json'));
}

/** Forgets a restore whose data is not in place, and puts the previous data back. @param {string[]} folders of backups */
function undoRestore(home, stamp, folders) {
  for (const folder of new Set(folders)) forgetRestore(folder, stamp);
  const [data, previous] = [path.join(home, 'data'), previousData(home, stamp)];
  if (!fs.existsSync(data) && fs.existsSync(previous)) fs.renameSync(previous, data);
  fs.rmSync(path.join(home, RESTORING), { recursive: true });
}

/**
 * Checks that neither a stack nor a server uses the data folder.
 * @throws when one does, for example a server that outlived a killed stack
 */
function assertNotServed(data) {
  const runner = runningStart();
  if (runner !== undefined)
    throw new Error(`npm start runs here (process ${runner}): stop it first, or name apps by --app`);
  const file = path.join(data, 'postmaster.pid');
  const pid = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8').split('\n')[0]) : 0;
  if (isOtherProcess(pid, data)) throw new Error(`Postgres (process ${pid}) still uses ${data}: stop it first`);
}

/**
 * Copies the apps' rows from a server that has the state of the wanted moment, and sets the apps' consumer groups back to that moment. If `from` is
 * omitted, recovers such a server first.
 */
async function restoreApps({ apps, to, folder, from, url, bus }) {
  await endInterrupted(inHome('postgres'), folder);
  const backup = from === undefined ? backupFor(folder, to) : undefined;
  await withClient(url ?? readStack().postgres.url, async (live) => {
    await assertStopped(live, apps);
    const onPostgres = await usesPostgresBus(live, { bus, url });
    const copy = (source) => withClient(source, (restored) => copyApps({ apps, to, live, restored, onPostgres }));
    if (backup === undefined) return copy(from);
    await step('archive the log until now', () => archiveUntilNow(live, folder));
    const work = inHome(RESTORING);
    await discardWork(work);
    startWork(work);
    let second;
    try {
      second = await step(`recovery from ${backup.name}`, () => startSecond(live, work, { folder, backup, to }));
      await copy(Object.assign(new URL(second.url), { pathname: live.database }).href);
    } finally {
      await second?.stop();
      fs.rmSync(work, { recursive: true });
    }
  });
}

/** Starts a second server in the folder of this restore, and lets it recover to a moment. */
function startSecond(live, work, options) {
  fs.writeFileSync(path.join(work, 'password'), live.password, { mode: 0o600 });
  return recover({ ...options, home: work, settings: DISPOSABLE });
}

async function assertStopped(client, apps) {
  const { rows } = await client.query('select distinct usename from pg_stat_activity where usename = any ($1)', [
    apps.map(({ role }) => role),
  ]);
  const running = apps.filter(({ role }) => rows.some(({ usename }) => usename === role)).map(({ name }) => name);
  if (running.length > 0)
    throw new Error(`stop all processes of ${running.join(', ')} first: they are connected to Postgres`);
}

async function copyApps({ apps, to, live, restored, onPostgres }) {
  await live.query('begin');
  await assertStopped(live, apps);
  const lines = [];
  for (const { name, role } of apps) {
    const counts = await step(`rows of ${name}`, () => replaceRows({ live, restored, schema: role }));
    for (const { table, before, after } of counts)
      if (before !== after) lines.push(`  ${table.padEnd(34)} ${before} → ${after} rows`);
    if (role === 'partner') {
      const { tokens, links, partners, promotions, contacts } = await repeatChanges({ live, restored });
      lines.push(`  ${name}: as in its audit trail, revoked ${tokens} tokens and closed ${links} portal links again, and
    gave ${partners} partners and ${promotions} promotions the state of their last change`);
      if (contacts.length > 0)
        lines.push(
          `  ! contact addresses that a manager must enter again, because they were changed: ${contacts.join(', ')}`,
        );
    }
    if (!onPostgres) {
      lines.push(`  ${name}: set its group in Kafka back to ${to}, see docs/restore.md`);
      continue;
    }
    const group = await rewindGroup({ live, restored, group: name });
    lines.push(`  ${name} will read ${group.again} events again`);
    if (group.removed > 0)
      lines.push(
        `  ! the bus has removed ${group.removed} events since then: also run npm run ingest -- replay --since ${to}`,
      );
  }
  beginChanges();
  await live.query('commit');
  console.log(`Restored to ${to}:\n${lines.join('\n')}
Next: start ${apps.map(({ name }) => name).join(', ')}, and run:
  npm run repair -- --since ${to} ${apps.map(({ name }) => `--app ${name}`).join(' ')}`);
}
