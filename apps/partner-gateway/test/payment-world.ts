import type { PaymentReceived, PurchaseAttribution } from '@tandem/contracts';
import { closure, hashOf, purchase } from './gateway';

/** The references to a partner that the purchases in tests can have. Each reference has a name. */
export type PaymentWorld = Record<
  | 'none'
  | 'token'
  | 'testToken'
  | 'inactive'
  | 'forged'
  | 'expired'
  | 'ofAnother'
  | 'expiredAndCode'
  | 'code'
  | 'unknownCode'
  | 'endedCode',
  PurchaseAttribution | undefined
>;

/** Returns a generator of pseudo-random numbers in [0, 1), which the seed determines (algorithm: mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a copy of the items in random order (algorithm: Fisher-Yates). */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

/**
 * Generates random payments of 3 buyers within an hour, for at most 60 subscriptions whose ids start with `run`. The payments are purchases
 * in every state (often several for a subscription), refunds, chargebacks, and events that do not concern sales.
 */
export function randomPayments(
  run: string,
  world: PaymentWorld,
  count: number,
  random: () => number,
): PaymentReceived[] {
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const good = [world.token, world.code, world.testToken];
  return Array.from({ length: count }, () => {
    const oid = `${run}-${Math.floor(random() * 60)}`;
    // The times are multiples of ten minutes. Some payments therefore have equal times, and some are exactly one hour apart.
    const minute = Math.floor(random() * 7) * 10 - 30;
    const kind = random();
    if (kind < 0.1) return closure(oid, 'subscription.refunded', minute);
    if (kind < 0.15) return closure(oid, 'subscription.charged_back', minute);
    if (kind < 0.2) return { ...closure(oid, 'subscription.refunded', minute), type: 'subscription.renewed' };
    return purchase(oid, {
      minute,
      paymentStatus: oneOf(['captured', 'captured', 'captured', 'captured', 'pending', 'failed']),
      firstPayment: random() < 0.95,
      amount: oneOf(['99.90', '99.90', '99.90', '5', '0.00']),
      attribution: random() < 0.6 ? oneOf(good) : oneOf(Object.values(world)),
      customer: {
        emailHash: hashOf(`${run} ${Math.floor(random() ** 2 * 3)}`),
        emailMasked: random() < 0.05 ? 'a***z@yopmail.com' : 'j***e@example.com',
      },
    });
  });
}
