import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { SandboxError } from '../errors';
import { isRefused, type WebhookResult } from '../webhook/signed-webhooks';
import { isPlan, type Plan } from './plans';

/** The changes of a subscription: the word in the path, and the type of the webhook. */
export const CHANGES = {
  renew: 'subscription.renewed',
  cancel: 'subscription.cancelled',
  expire: 'subscription.expired',
  refund: 'subscription.refunded',
  chargeback: 'subscription.charged_back',
} as const;
export type Change = keyof typeof CHANGES;

/** The states that billing reports for the payment of a purchase. */
export const PAYMENT_STATUSES = ['captured', 'pending', 'failed'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/**
 * The sale of a subscription. A sale that an earlier version of the sandbox stored has no plan and no payment status.
 */
export interface Sale {
  at: string;
  plan?: Plan;
  amount: string;
  currency: string;
  paymentStatus?: PaymentStatus;
}

/** A subscription that was bought in the store. */
export interface Subscription {
  subscriptionId: string;
  /** The present plan. The plan that was bought is in `sale`. */
  plan: Plan;
  krn?: string;
  /** Absent when an earlier version of the sandbox has stored the subscription. */
  sale?: Sale;
  /**
   * The latest change, the answer to the first attempt of its webhook, and the change that applied before the latest
   * one.
   */
  lastChange?: { change: Change; webhook: WebhookResult; before?: Change };
}

/** Returns the latest change that the platform has not refused; undefined when there is none. */
export function appliedChange({ lastChange }: Subscription): Change | undefined {
  return lastChange && isRefused(lastChange.webhook) ? lastChange.before : lastChange?.change;
}

/** The maximum number of subscriptions in memory, and of lines that are read from the file at the start. */
const REMEMBERED = 20_000;

/** Stores subscriptions in a file with one JSON document per line, so that they can be changed after a restart. */
export class SubscriptionBook {
  readonly #file: string;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(file: string) {
    this.#file = file;
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    for (const line of lines.slice(-REMEMBERED)) {
      const subscription = parse(line);
      if (subscription) this.#remember(subscription);
    }
  }

  /** Stores a new or a changed subscription. */
  save(subscription: Subscription): void {
    appendFileSync(this.#file, `${JSON.stringify(subscription)}\n`, { mode: 0o600 });
    this.#remember(subscription);
  }

  /** Returns a subscription. @throws SandboxError 404 when the store does not know it */
  get(subscriptionId: string): Subscription {
    const subscription = this.#subscriptions.get(subscriptionId);
    if (!subscription) throw new SandboxError(404, `the store knows no subscription ${subscriptionId}`);
    return subscription;
  }

  /** Lists the subscriptions that were bought last, newest first. */
  latest(count: number): Subscription[] {
    return [...this.#subscriptions.values()].slice(-count).reverse();
  }

  #remember(subscription: Subscription): void {
    this.#subscriptions.set(subscription.subscriptionId, subscription);
    const [oldest] = this.#subscriptions.keys();
    if (this.#subscriptions.size > REMEMBERED && oldest) this.#subscriptions.delete(oldest);
  }
}

/** Reads a line of the file; null for an empty line, and for a line that was cut off when the process was killed. */
function parse(line: string): Subscription | null {
  try {
    const value = JSON.parse(line) as Subscription;
    return isPlan(value.plan) ? value : null;
  } catch {
    return null;
  }
}
