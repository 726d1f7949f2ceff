import { randomFillSync } from 'node:crypto';

const SIZE = 16;
const pool = Buffer.alloc(256 * SIZE);
let used = pool.length;

/**
 * Returns 16 random bytes that are not all zero. The bytes are a view of a pool, which is filled again every 256 calls: use
 * or copy them before the next call.
 */
export function randomBytes16(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, (used += SIZE));
  bytes.writeUInt8(bytes.readUInt8(0) | 1, 0);
  return bytes;
}
