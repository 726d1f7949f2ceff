import { createHash } from 'node:crypto';
import { stringify, v7 } from 'uuid';
import { randomBytes16 } from './random';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** Creates an event id, a UUIDv7. It starts with the time, so consumers insert the ids of new events near the end of the inbox's index. */
export const newEventId = (now = Date.now()): string => v7({ msecs: now, random: randomBytes16() });

/** Returns a UUID (version 8) derived from the parts, for example as the id of a message without a usable id. */
export function derivedEventId(...parts: (string | Buffer)[]): string {
  const bytes = hashOf(parts);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return stringify(bytes);
}

/** Returns a UUIDv7 derived from a time and parts, for an event that may be created again. */
export const timedEventId = (at: Date, ...parts: (string | Buffer)[]): string =>
  v7({ msecs: at.getTime(), random: hashOf(parts).subarray(0, 16) });

function hashOf(parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts)
    hash
      .update(String(Buffer.byteLength(part)))
      .update(':')
      .update(part);
  return hash.digest();
}
