import { randomFillSync } from 'node:crypto';

const SIZE = 16;
const pool = Buffer.alloc(256 * SIZE);
let used = pool.length;

/**
 * Returns 16 random bytes, not all zero. They come from a pool that the operating system fills with one request for 256
 * calls. The bytes are valid until the next call.
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
