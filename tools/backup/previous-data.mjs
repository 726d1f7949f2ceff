/** Folders with the data that the server had before each restore. No command deletes them, because they are the only copy of undone changes. */
import fs from 'node:fs';
import path from 'node:path';

const PREFIX = 'data-before-restore-';

export const previousData = (home, stamp) => path.join(home, `${PREFIX}${stamp}`);

/** Returns the end of a message for people: a list of the folders with previous data in `home`; empty if there are none. */
export function notePreviousData(home) {
  const names = fs.readdirSync(home).filter((name) => name.startsWith(PREFIX));
  if (names.length === 0) return '';
  const lines = names.sort().map((name) => `  ${path.join(home, name)}`);
  return [
    '\nWhen you have checked the restored data, delete the data from before this restore and earlier ones:',
    ...lines,
  ].join('\n');
}
