import { createHash } from 'node:crypto';

/** Ours, chosen once: another one would give every user another key at the vendor. */
const NAMESPACE = Buffer.from('5b1f3f6e2d8e4c6a9a54d0f6c2b7e918', 'hex');

/**
 * A user's key at the vendor: the UUIDv5 (RFC 9562) of its KRN. A create that is repeated after a crash finds the same user there.
 */
export function arrayUserIdOf(krn: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(krn, 'utf8').digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
