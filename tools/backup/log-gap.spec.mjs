import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { missingSegment } from './log-gap.mjs';

describe('the first missing segment of an archived log', () => {
  let folder;
  beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-log-gap-'))));
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const nameOf = (timeline, position) =>
    [timeline, position >> 8, position & 255].map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('');
  const archive = (timeline, ...positions) => {
    for (const position of positions) fs.writeFileSync(path.join(folder, nameOf(timeline, position)), '');
  };
  const missing = (timeline, first = nameOf(1, 3)) =>
    missingSegment([folder, path.join(folder, 'none')], { firstWal: first, timeline });

  it('is undefined for a complete log, even if segments from before the backup are missing', () => {
    archive(1, 1, 3, 4, 5, 254, 255);
    expect(missing(1, nameOf(1, 254))).toBeUndefined();
    archive(1, 256, 257);
    expect(missing(1, nameOf(1, 254))).toBeUndefined();
    expect(missing(1, nameOf(1, 300))).toBeUndefined();
  });

  it('is the first absent segment before an existing one, even if it is the first segment of the backup', () => {
    archive(1, 3, 4, 6, 8);
    expect(missing(1)).toBe(nameOf(1, 5));
    expect(missing(1, nameOf(1, 2))).toBe(nameOf(1, 2));
  });

  it('is searched only on the timelines that lead to the followed timeline', () => {
    fs.writeFileSync(path.join(folder, '00000003.history'), '1\t0/5000060\tbefore noon\n\n2\t0/7000000\tbefore ten\n');
    // Timeline 2 begins in segment 5, and timeline 3 in segment 7. So the recovery does not read the segments 6 to 9 of timeline 1.
    archive(1, 3, 4, 5, 6, 7, 8, 9);
    archive(2, 5, 6);
    expect(missing(3)).toBeUndefined();
    archive(3, 7, 8);
    expect(missing(3)).toBeUndefined();
    fs.rmSync(path.join(folder, nameOf(2, 6)));
    expect(missing(3)).toBe(nameOf(2, 6));
    fs.rmSync(path.join(folder, nameOf(2, 5)));
    expect(missing(3)).toBe(nameOf(2, 5));
  });
});
