import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { backupFor, forgetRestore, recordRestore } from './history.mjs';

describe('backupFor', () => {
  let folder;
  const at = (minute) => `2026-03-01T12:${String(minute).padStart(2, '0')}:00.000Z`;
  const backup = (minute, timeline) => {
    const home = path.join(folder, 'base', at(minute));
    fs.mkdirSync(home, { recursive: true });
    const about = { stoppedAt: at(minute), firstWal: `${timeline}0000000000000005`, bytes: 1 };
    fs.writeFileSync(path.join(home, 'backup.json'), JSON.stringify(about));
  };
  /** Records that a restore to the minute `to` ended at the minute `end`. */
  const restored = (to, end, timeline) => {
    const wal = path.join(folder, 'pg_wal');
    fs.mkdirSync(wal, { recursive: true });
    fs.writeFileSync(path.join(wal, `${timeline}.history`), '');
    jest.useFakeTimers({ now: Date.parse(at(end)) });
    recordRestore(folder, { stamp: at(end), to: at(to), wal });
    jest.useRealTimers();
  };
  const chosen = (minute) => {
    const { name, timeline } = backupFor(folder, minute === undefined ? undefined : at(minute));
    return [name, timeline];
  };

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-history-'));
    fs.mkdirSync(path.join(folder, 'wal'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it('chooses the newest backup that was complete at the wanted time, and its own timeline, when nothing was restored', () => {
    backup(1, '00000001');
    backup(5, '00000001');
    expect([chosen(3), chosen(5), chosen()]).toEqual([
      [at(1), 1],
      [at(5), 1],
      [at(5), 1],
    ]);
    expect(() => chosen(0)).toThrow('no base backup is older than');
  });

  it('chooses the earlier timeline for a time that a restore undid, and the new timeline for a time after the restore', () => {
    backup(1, '00000001');
    backup(5, '00000001');
    restored(3, 10, '00000002');
    expect([chosen(8), chosen(12), chosen()]).toEqual([
      [at(5), 1],
      [at(1), 2],
      [at(1), 2],
    ]);
    backup(13, '00000002');
    expect([chosen(8), chosen(14)]).toEqual([
      [at(5), 1],
      [at(13), 2],
    ]);
  });

  it('skips a backup that a later restore undid, unless the wanted time is before that restore', () => {
    backup(1, '00000001');
    restored(3, 10, '00000002');
    backup(12, '00000002');
    restored(8, 20, '00000003');
    expect([chosen(8), chosen(15), chosen(21), chosen()]).toEqual([
      [at(1), 1],
      [at(12), 2],
      [at(1), 3],
      [at(1), 3],
    ]);
  });

  it('throws when a restore undid all base backups before the wanted time', () => {
    backup(5, '00000001');
    restored(3, 10, '00000002');
    expect(() => chosen(12)).toThrow('contain data that a restore undid');
  });

  it('throws when the folder has no backups or does not exist', () => {
    expect(() => backupFor(folder)).toThrow('has none');
    expect(() => backupFor(path.join(folder, 'missing'))).toThrow('does not exist');
  });

  it('follows the newest timeline of an archive whose restores were not recorded', () => {
    backup(1, '00000001');
    fs.writeFileSync(path.join(folder, 'wal', '00000002.history'), '');
    expect(chosen()).toEqual([at(1), 2]);
  });

  it('does not follow a restore whose record was removed', () => {
    backup(1, '00000001');
    restored(3, 10, '00000002');
    forgetRestore(folder, at(10));
    expect(chosen()).toEqual([at(1), 1]);
    expect(fs.readdirSync(path.join(folder, 'wal'))).toEqual([]);
  });
});
