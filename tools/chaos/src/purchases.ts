import { randomUUID } from 'node:crypto';
import { deliverWebhook, purchaseWebhook, signable, type WebhookTarget } from '@tandem/stack-client';

/** A purchase, with the number of attempts at its webhook, and the time when the webhook was accepted. */
export interface Purchase {
  oid: string;
  acceptedAt?: number;
  tries: number;
}

export interface PurchaseTarget extends WebhookTarget {
  promotionCode: string;
}

/**
 * Sends purchases at a steady rate. Like a billing provider, it sends each webhook again until it is answered with 200;
 * a refusal of a webhook (400, 401, 413) is an error.
 */
export class PurchaseStream {
  readonly purchases: Purchase[] = [];
  private readonly open = new Set<Promise<void>>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly target: PurchaseTarget) {}

  start(ratePerSecond: number): void {
    this.timer = setInterval(() => this.buy(), 1_000 / ratePerSecond);
  }

  /**
   * Starts no more purchases, and waits until the webhook of each started purchase is accepted.
   * @throws when a webhook was refused
   */
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
    const done = this.deliver(purchase).then(() => void this.open.delete(done));
    done.catch(() => undefined); // a refused webhook stays in `open`, and makes `finish` throw
    this.open.add(done);
  }

  private async deliver(purchase: Purchase): Promise<void> {
    const { promotionCode } = this.target;
    const webhook = purchaseWebhook({ subscriptionId: purchase.oid, attribution: { promotionCode } });
    await deliverWebhook(this.target, signable(webhook), () => purchase.tries++);
    purchase.acceptedAt = Date.now();
  }
}
