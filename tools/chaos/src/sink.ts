import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyPostback } from '@tandem/partner';

/** The requests that arrived for a sale. */
export interface Arrival {
  webhookIds: Set<string>;
  requests: number;
  firstAt: number;
  lastAt: number;
}

/** A partner's endpoint that is always up. It is not part of the platform, so it is never killed. */
export class Sink {
  readonly arrivals = new Map<string, Arrival>();
  /** Why postbacks failed verification; empty while `secret` is not set. */
  readonly badSignatures: string[] = [];
  /** The secret with which postbacks must be signed. */
  secret?: string;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        this.record(String(request.headers['webhook-id']), (JSON.parse(body) as { oid: string }).oid);
        void this.verify(request.headers, body);
        response.end('ok');
      });
    });
  }

  /** Starts to listen. @returns the endpoint's URL */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/postback`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async verify(headers: IncomingHttpHeaders, body: string): Promise<void> {
    if (this.secret === undefined) return;
    await verifyPostback(headers, body, this.secret).catch((error: Error) => {
      this.badSignatures.push(`${String(headers['webhook-id'])}: ${error.message}`);
    });
  }

  private record(webhookId: string, oid: string): void {
    const now = Date.now();
    const arrival = this.arrivals.get(oid) ?? { webhookIds: new Set(), requests: 0, firstAt: now, lastAt: now };
    arrival.webhookIds.add(webhookId);
    arrival.requests++;
    arrival.lastAt = now;
    this.arrivals.set(oid, arrival);
  }
}
