import type { OutgoingMessage } from '../wire/message';

/** Sends of more cost more than they save. */
const MAX_MESSAGES = 500;
/** All messages of one partition travel as one record batch, and a broker refuses batches of more than 1 MiB. */
const MAX_BYTES = 512 * 1024;

/** Messages that go to the bus at once. */
export interface Send<T extends OutgoingMessage> {
  readonly topic: string;
  readonly messages: T[];
}

/** Splits messages, in order, into sends of one topic each that a broker takes. */
export function sendsOf<T extends OutgoingMessage>(messages: readonly T[]): Send<T>[] {
  const sends: Send<T>[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = message.value.length + message.key.length + headerBytes(message.headers);
    const last = sends.at(-1);
    if (last?.topic === message.topic && last.messages.length < MAX_MESSAGES && bytes + size <= MAX_BYTES) {
      last.messages.push(message);
      bytes += size;
    } else {
      sends.push({ topic: message.topic, messages: [message] });
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
