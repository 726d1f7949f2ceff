import { createHash } from 'node:crypto';
import { randomId } from './random';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * A UUID of version 7 (RFC 9562): it begins with the time, so that the inbox's index grows at its end instead of being hit
 * all over.
 */
export function newEventId(now = Date.now()): string {
  const bytes = randomId(16);
  bytes.writeUIntBE(now, 0, 6);
  return format(bytes, 7);
}

/** A UUID (version 8) that is the same for the same parts: it names a message that carries no usable id of its own. */
export function derivedEventId(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts)
    hash
      .update(String(Buffer.byteLength(part)))
      .update(':')
      .update(part);
  return format(hash.digest().subarray(0, 16), 8);
}

function format(bytes: Buffer, version: number): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | (version << 4), 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
