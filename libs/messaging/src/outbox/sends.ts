import type { OutgoingMessage } from '@tandem/event-bus';

/** Maximum number of messages per send. */
const MAX_MESSAGES = 500;
/**
 * Maximum bytes per send of several messages. A send puts all messages of one partition in one record batch, and by
 * default a broker rejects batches above 1 MiB.
 */
const MAX_BYTES = 512 * 1024;

/** Splits messages of one topic, in order, into sends that a broker accepts. */
export function sendsOf<T extends OutgoingMessage>(messages: readonly T[]): T[][] {
  const sends: T[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = message.value.length + message.key.length + headerBytes(message.headers);
    const send = sends.at(-1) ?? [];
    const fits = send.length < MAX_MESSAGES && bytes + size <= MAX_BYTES;
    if (send.length > 0 && fits) {
      send.push(message);
      bytes += size;
    } else {
      sends.push([message]);
      bytes = size;
    }
  }
  return sends;
}

function headerBytes(headers: OutgoingMessage['headers']): number {
  let bytes = 0;
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0);
  return bytes;
}
