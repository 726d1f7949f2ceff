import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { archiveTo, copyHistories, copySegments } from './archive.mjs';

describe('a folder of backups', () => {
  let folder;
  const inFolder = (...parts) => path.join(folder, ...parts);

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-archive-'));
    for (const name of ['pg_wal', 'wal']) fs.mkdirSync(inFolder(name));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  /** Writes a segment whose first page contains the given address, as a server does. */
  function writeSegment(name, address) {
    const page = Buffer.alloc(8192);
    page.writeBigUInt64LE(address, 8);
    fs.writeFileSync(inFolder('pg_wal', name), page);
  }

  const copyToArchive = () => copySegments(inFolder('pg_wal'), inFolder('wal'), inFolder('wal'));
  /** Writes the history of timeline 2 to the server's log and, if `archived` is given, to the archive. */
  const writeHistories = (own, archived) => {
    fs.writeFileSync(inFolder('pg_wal', '00000002.history'), own);
    if (archived !== undefined) fs.writeFileSync(inFolder('wal', '00000002.history'), archived);
  };

  it('gets the written segments of a stopped server, but none that the server has renamed for later use', () => {
    writeSegment('000000020000000100000003', 0x103000000n);
    writeSegment('000000020000000100000004', 0x0ff000000n);
    writeHistories('1\t0/3000000\tbefore noon', '1\t0/3000000\tbefore noon');
    copyToArchive();
    expect(fs.readdirSync(inFolder('wal'))).toEqual(['00000002.history', '000000020000000100000003']);
  });

  it.each([
    ['has another history', '1\t0/2000000\tbefore ten'],
    ['has no history', undefined],
  ])('gets no segment of a timeline that %s in the archive', (_case, archived) => {
    writeSegment('000000020000000100000003', 0x103000000n);
    writeHistories('1\t0/3000000\tbefore noon', archived);
    copyToArchive();
    expect(fs.readdirSync(inFolder('wal'))).not.toContain('000000020000000100000003');
  });

  it('gets the histories of a server, but refuses a server whose history of a timeline differs from the archived one', () => {
    writeHistories('1\t0/3000000\tbefore noon');
    copyHistories(inFolder('pg_wal'), inFolder('wal'));
    copyHistories(inFolder('pg_wal'), inFolder('wal'));
    expect(fs.readFileSync(inFolder('wal', '00000002.history'), 'utf8')).toBe('1\t0/3000000\tbefore noon');
    writeHistories('1\t0/2000000\tbefore ten');
    expect(() => copyHistories(inFolder('pg_wal'), inFolder('wal'))).toThrow('from another server');
  });

  it('keeps its own copy of a segment that the server has too', () => {
    writeSegment('000000010000000000000001', 0x1000000n);
    fs.writeFileSync(inFolder('wal', '000000010000000000000001'), 'archived');
    copyToArchive();
    expect(fs.readFileSync(inFolder('wal', '000000010000000000000001'), 'utf8')).toBe('archived');
  });

  it('becomes the archive of each server that is restored from it', () => {
    const conf = inFolder('postgresql.auto.conf');
    const lines = () => fs.readFileSync(conf, 'utf8').trim().split('\n');
    fs.writeFileSync(conf, '');
    archiveTo(folder, folder);
    const [ours] = lines();
    expect(ours).toContain(`${folder}/wal/%f`);
    archiveTo(folder, folder);
    expect(lines()).toEqual([ours]);
    fs.appendFileSync(conf, "archive_command = 'cp %p /elsewhere'\n");
    archiveTo(folder, folder);
    expect(lines().at(-1)).toBe(ours);
  });
});
