/** Finds segments that are missing in an archived write-ahead log. Postgres ends a recovery at a missing segment, as if the log ended there. */
import fs from 'node:fs';
import path from 'node:path';

const SEGMENT = /^[0-9A-F]{24}$/;
/** A segment has 16 MiB (2^24 bytes), so the upper 32 bits of a 64-bit address are the same in 256 segments. */
const SEGMENTS_PER_LOG = 256;

/**
 * Returns the first missing segment between the start of a base backup and the last segment that a recovery could read.
 *
 * @param {readonly string[]} folders that have the segments and the histories of timelines
 * @param {{ firstWal: string, timeline: number }} backup the base backup with which the recovery begins, and the timeline that it follows
 * @returns {string | undefined} the name of the segment; undefined if none is missing
 */
export function missingSegment(folders, { firstWal, timeline }) {
  const names = new Set(folders.flatMap((folder) => segmentsIn(folder)));
  const parts = partsOf(folders, timeline);
  const namesAt = (number) => {
    const possible = parts.filter(({ from, until }) => from <= number && number <= until);
    return possible.map((part) => nameOf(part.timeline, number));
  };
  const readable = [...names].map(numberOf).filter((number) => namesAt(number).some((name) => names.has(name)));
  const last = Math.max(-1, ...readable);
  for (let number = numberOf(firstWal); number < last; number += 1) {
    // At the position where a timeline begins, the segment of this timeline must exist. The segment of the previous timeline at the same position
    // does not replace it, because it can contain changes that a restore undid.
    const name = namesAt(number).at(-1);
    if (!names.has(name)) return name;
  }
  return undefined;
}

const segmentsIn = (folder) =>
  fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => SEGMENT.test(name)) : [];

/**
 * Returns the timelines that lead to a timeline, the oldest first, each with the positions of its first and last segment. The last segment of a
 * timeline and the first segment of the next timeline can have the same position.
 */
function partsOf(folders, timeline) {
  const file = folders
    .map((folder) => path.join(folder, `${hexOf(timeline)}.history`))
    .find((one) => fs.existsSync(one));
  const lines = file === undefined ? '' : fs.readFileSync(file, 'utf8');
  const ancestors = [...lines.matchAll(/^(\d+)\t([0-9A-F]+)\/([0-9A-F]+)/gm)].map(([, number, log, offset]) => ({
    timeline: Number(number),
    until: parseInt(log, 16) * SEGMENTS_PER_LOG + Math.floor(parseInt(offset, 16) / 2 ** 24),
  }));
  const parts = [...ancestors, { timeline, until: Infinity }];
  return parts.map((part, index) => ({ ...part, from: parts[index - 1]?.until ?? 0 }));
}

const hexOf = (number) => number.toString(16).toUpperCase().padStart(8, '0');
const nameOf = (timeline, number) =>
  hexOf(timeline) + hexOf(Math.floor(number / SEGMENTS_PER_LOG)) + hexOf(number % SEGMENTS_PER_LOG);
const numberOf = (name) => parseInt(name.slice(8, 16), 16) * SEGMENTS_PER_LOG + parseInt(name.slice(16), 16);
