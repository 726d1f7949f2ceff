/**
 * Returns the partition of a key, as kafkajs and Kafka's Java client compute it (murmur2). A key has the same partition
 * on both buses.
 */
export function partitionOf(key: string, partitions: number): number {
  return keyHash(key) % partitions;
}

/** Returns the non-negative hash of a key. The key's partition is the hash modulo the number of partitions. */
export const keyHash = (key: string): number => murmur2(Buffer.from(key)) & 0x7fffffff;

function murmur2(data: Buffer): number {
  const m = 0x5bd1e995;
  let hash = 0x9747b28c ^ data.length;
  const whole = data.length & ~3;
  for (let index = 0; index < whole; index += 4) {
    let part = Math.imul(data.readInt32LE(index), m);
    part = Math.imul(part ^ (part >>> 24), m);
    hash = Math.imul(hash, m) ^ part;
  }
  if (data.length > whole) {
    for (let index = data.length - 1; index >= whole; index--) hash ^= data.readUInt8(index) << (8 * (index - whole));
    hash = Math.imul(hash, m);
  }
  hash = Math.imul(hash ^ (hash >>> 13), m);
  return hash ^ (hash >>> 15);
}
