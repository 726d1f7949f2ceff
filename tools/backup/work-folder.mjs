/** Folders in which a restore prepares its server, with a note that says which process works there. */
import fs from 'node:fs';
import path from 'node:path';
import { stopLeftover } from '../postgres/postgres.mjs';
import { isOtherProcess } from '../stack/instance.mjs';
import { readJson, writePrivately } from '../stack/paths.mjs';

const NOTE = 'note.json';

/**
 * Creates a folder for a restore.
 * @param {string} folder
 * @param {object} [note] what a later restore needs to know if this one is killed
 * @throws when the folder exists, because another restore has created it
 */
export function startWork(folder, note = {}) {
  fs.mkdirSync(folder);
  fs.chmodSync(folder, 0o755); // when this process runs as root, Postgres runs as another account
  writePrivately(path.join(folder, NOTE), { ...note, pid: process.pid });
}

/**
 * Stops the server that a killed restore left in its folder.
 * @param {string} folder
 * @returns the note of that restore; null if there is none
 * @throws when that restore was not killed and still runs
 */
export async function leftWork(folder) {
  const note = readJson(path.join(folder, NOTE));
  if (note !== null && isOtherProcess(note.pid, 'restore.mjs'))
    throw new Error(`another restore is running (process ${note.pid})`);
  await stopLeftover(path.join(folder, 'data'));
  return note;
}

/**
 * Stops the server of a killed restore, and removes the restore's folder. @throws when that restore was not killed and
 * still runs
 */
export async function discardWork(folder) {
  if (!fs.existsSync(folder)) return;
  await leftWork(folder);
  fs.rmSync(folder, { recursive: true });
}
