import type { OutgoingMessage } from '../wire/message';

/** Sends of more cost more than they save. */
const MAX_MESSAGES = 500;
/** All messages of one partition travel as one record batch, and a broker refuses batches of more than 1 MiB. */
const MAX_BYTES = 512 * 1024;

/** Splits messages, in order, into sends that a broker takes. */
export function chunksOf<T extends OutgoingMessage>(messages: readonly T[]): T[][] {
  const chunks: T[][] = [];
  let chunk: T[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = message.value.length + message.key.length + headerBytes(message.headers);
    if (chunk.length > 0 && (chunk.length === MAX_MESSAGES || bytes + size > MAX_BYTES)) {
      chunks.push(chunk);
      chunk = [];
      bytes = 0;
    }
    chunk.push(message);
    bytes += size;
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}

function headerBytes(headers: OutgoingMessage['headers']): number {
  let bytes = 0;
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0);
  return bytes;
}
