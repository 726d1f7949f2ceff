import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Replica } from './replica';

/** Longer than the pause before a replica is started again. */
const RESTART_MS = 1_000;

describe('a replica', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'tandem-replica-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is not started again when its first start fails', async () => {
    const [file, starts] = ['main.js', 'starts'].map((name) => path.join(folder, name)) as [string, string];
    writeFileSync(file, `require('fs').appendFileSync(${JSON.stringify(starts)}, 'x'); process.exit(1);`);
    const options = { file, env: process.env, logFile: path.join(folder, 'log') };
    await expect(Replica.start(options)).rejects.toThrow('ended while it started');
    await sleep(RESTART_MS);
    expect(readFileSync(starts, 'utf8')).toBe('x');
  });
});
