import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4096;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let used = POOL_BYTES;

/** Random bytes for ids, taken from a pool: asking the system for a few at a time costs more than the rest of an event. */
export function randomId(bytes: number): Buffer {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return Buffer.from(pool.subarray(used - bytes, used));
}
