import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { notePreviousData, previousData } from './previous-data.mjs';

describe('the data that a server had before its restores', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'previous-'));
  afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

  it('is listed folder by folder, so that people can delete it', () => {
    fs.mkdirSync(path.join(home, 'data'));
    expect(notePreviousData(home)).toBe('');
    const folders = ['2026-03-01T12-00-00.000Z', '2026-03-02T12-00-00.000Z'].map((stamp) => previousData(home, stamp));
    for (const folder of folders) fs.mkdirSync(folder);
    expect(notePreviousData(home).split('\n')).toEqual([
      '',
      expect.stringContaining('delete the data from before this restore and earlier ones'),
      ...folders.map((folder) => `  ${folder}`),
    ]);
  });
});
