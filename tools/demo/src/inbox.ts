import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client';

/** A request that the partner's endpoint received. */
export interface Postback {
  receivedAt: string;
  method: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  rawBody: string;
}

const WAIT_MS = 30_000;
const TOLERANCE_SECONDS = 300;

/** The partner's endpoint, in the sandbox. */
export class Inbox {
  /**
   * @param url the address at which the demo reads and controls the inbox
   * @param endpoint the address to which the platform sends postbacks
   */
  constructor(
    private readonly client: Client,
    readonly url: string,
    readonly endpoint: string,
  ) {}

  /** Returns the postbacks of a sale, the oldest first. */
  async postbacksOf(oid: string): Promise<Postback[]> {
    const { body } = await this.client.call('GET', `${this.url}/messages`, { silent: true });
    const items = body.items as Postback[];
    return items.filter((item) => item.body?.oid === oid).reverse();
  }

  /** Returns the newest postback. @throws when there is none */
  async newest(): Promise<Postback> {
    const { body } = await this.client.call('GET', `${this.url}/messages`, { silent: true });
    const [newest] = body.items as Postback[];
    if (!newest) throw new Error(`nothing arrived at ${this.url}`);
    return newest;
  }

  /** Waits until a sale's postback has arrived `attempts` times. @throws on a timeout */
  async waitFor(oid: string, attempts = 1, waitMs = WAIT_MS): Promise<Postback[]> {
    for (const deadline = Date.now() + waitMs; ; await delay(50)) {
      const found = await this.postbacksOf(oid);
      if (found.length >= attempts) return found;
      if (Date.now() > deadline) {
        throw new Error(
          `${found.length} of ${attempts} postbacks for ${oid} arrived at ${this.url} in ${waitMs / 1000} s`,
        );
      }
    }
  }

  /** Gives the inbox the endpoint's signing secret. The page of the inbox then shows whether signatures are valid. */
  async addSigningSecret(secret: string): Promise<void> {
    await this.client.call('POST', `${this.url}/signing-secrets`, { body: { secret }, silent: true });
  }

  /** Makes the endpoint answer its next `times` requests with `status`. */
  async failNext(times: number, status: number): Promise<void> {
    await this.client.call('PUT', `${this.url}/behaviour`, { body: { status, times } });
  }
}

/** Verifies a Standard Webhooks signature as a partner would, using only the specification. */
export function isSignedBy(secret: string, { headers, rawBody, receivedAt }: Postback): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  const age = Math.abs(Date.parse(receivedAt) / 1000 - Number(timestamp));
  if (!id || !(age <= TOLERANCE_SECONDS)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${rawBody}`).digest();
  return signatures.split(' ').some((entry) => {
    const [version, encoded = ''] = entry.split(',');
    const found = Buffer.from(encoded, 'base64');
    return version === 'v1' && found.length === expected.length && timingSafeEqual(found, expected);
  });
}
