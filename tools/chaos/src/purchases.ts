import { randomUUID } from 'node:crypto';
import { deliverWebhook, type PaymentsWebhook, type WebhookTarget } from './webhooks';

/** One purchase, from its first try to the answer that accepted it. */
export interface Purchase {
  oid: string;
  acceptedAt?: number;
  tries: number;
}

export interface PurchaseTarget extends WebhookTarget {
  promotionCode: string;
}

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
    await deliverWebhook(this.target, webhookOf(purchase.oid, this.target.promotionCode), () => purchase.tries++);
    purchase.acceptedAt = Date.now();
  }
}

const webhookOf = (oid: string, promotionCode: string): PaymentsWebhook => ({
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
