import { randomUUID } from 'node:crypto';
import { signWebhook } from '@tandem/auth';
import { request } from 'undici';

/** One purchase, from its first try to the answer that accepted it. */
export interface Purchase {
  oid: string;
  acceptedAt?: number;
  tries: number;
}

export interface PurchaseTarget {
  webhookUrl: string;
  secret: string;
  promotionCode: string;
}

const RETRY_MS = 250;
const ANSWER_TIMEOUT_MS = 10_000;

/** Buys at a steady rate, and like a billing provider sends each webhook again until it is answered 200. */
export class PurchaseStream {
  readonly purchases: Purchase[] = [];
  private readonly open = new Set<Promise<void>>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly target: PurchaseTarget) {}

  start(ratePerSecond: number): void {
    this.timer = setInterval(() => this.buy(), 1_000 / ratePerSecond);
  }

  /** Ends the stream, and waits until each webhook that was started is accepted. */
  async finish(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.open);
  }

  get accepted(): Purchase[] {
    return this.purchases.filter(({ acceptedAt }) => acceptedAt !== undefined);
  }

  private buy(): void {
    const purchase: Purchase = { oid: `chaos_${randomUUID()}`, tries: 0 };
    this.purchases.push(purchase);
    const done = this.deliver(purchase).finally(() => this.open.delete(done));
    this.open.add(done);
  }

  private async deliver(purchase: Purchase): Promise<void> {
    const body = JSON.stringify(webhookOf(purchase.oid, this.target.promotionCode));
    const id = `evt_${purchase.oid}`;
    for (;;) {
      purchase.tries++;
      if (await this.send(id, body)) {
        purchase.acceptedAt = Date.now();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  private async send(id: string, body: string): Promise<boolean> {
    const timestamp = new Date();
    const signature = signWebhook({ secrets: [this.target.secret], id, timestamp, body });
    try {
      const answer = await request(this.target.webhookUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
          'webhook-signature': signature,
        },
        body,
        headersTimeout: ANSWER_TIMEOUT_MS,
        bodyTimeout: ANSWER_TIMEOUT_MS,
      });
      await answer.body.dump();
      return answer.statusCode === 200;
    } catch {
      return false; // the process that should have answered was killed: send again
    }
  }
}

const webhookOf = (oid: string, promotionCode: string): object => ({
  id: `evt_${oid}`,
  type: 'subscription.purchased',
  timestamp: new Date().toISOString(),
  data: {
    subscriptionId: oid,
    customer: { email: `${oid}@example.com` },
    plan: 'advanced',
    entitlements: ['idp.identity'],
    currency: 'USD',
    amount: '99.90',
    paymentStatus: 'captured',
    firstPayment: true,
    items: [{ price: '99.90', category: 'Advanced' }],
    attribution: { promotionCode },
  },
});
