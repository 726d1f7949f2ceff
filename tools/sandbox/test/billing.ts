import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook as it was received. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: string;
  body: { id: string; type: string; timestamp: string; data: Record<string, unknown> };
}

/** An answer of the receiver. `before` is called before the answer is sent. */
interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: object;
  before?: () => Promise<unknown>;
}

/** Starts a receiver of payments webhooks. It answers first with the answers in `next`, then with `status`. */
export async function openBilling() {
  const received: Received[] = [];
  const answer = { status: 200, next: [] as Answer[] };
  const server: Server = createServer((request, response) => {
    let rawBody = '';
    request.on('data', (chunk: Buffer) => (rawBody += chunk.toString()));
    request.on('end', async () => {
      received.push({ path: request.url ?? '', headers: request.headers, rawBody, body: JSON.parse(rawBody || '{}') });
      const { status, headers, body = {}, before }: Answer = answer.next.shift() ?? { status: answer.status };
      await before?.();
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/idp/payments/webhook`;
  return { url, received, answer, close, last: () => received.at(-1) as Received };
}

export const newSubscription = (): string => `sub_${randomBytes(6).toString('hex')}`;
