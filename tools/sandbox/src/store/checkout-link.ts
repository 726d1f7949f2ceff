import { DEFAULT_PLAN, isPlan, type Plan } from './plans';

/** What the store understands of a checkout URL. */
export interface CheckoutLink {
  checkoutToken?: string;
  data4?: string;
  plan: Plan;
  currency: string;
  discount: { percentOff: number } | null;
}

/** Reads a checkout URL's query: the URL stays valid wherever the store itself is. */
export function readCheckoutLink(query: URLSearchParams): CheckoutLink {
  const plan = query.get('plan');
  const currency = query.get('currency') ?? '';
  const checkoutToken = query.get('checkout') || undefined;
  return {
    checkoutToken,
    data4: query.get('data4') ?? undefined,
    plan: isPlan(plan) ? plan : DEFAULT_PLAN,
    currency: /^[A-Z]{3}$/.test(currency) ? currency : 'USD',
    discount: checkoutToken ? readDiscount(checkoutToken) : null,
  };
}

/**
 * The discount that a checkout token promises, when one can be read. The store does not hold the key and need not: who
 * the sale belongs to is decided by whoever signed the token.
 */
function readDiscount(token: string): { percentOff: number } | null {
  for (const part of token.split('.')) {
    const percentOff = findPercentOff(parse(Buffer.from(part, 'base64url').toString('utf8')));
    if (percentOff !== null) return { percentOff };
  }
  return null;
}

/** A token's content is an object with its own or its discount's `percentOff`, or the array `[1, partner, promotion, percent, …]`. */
function findPercentOff(value: unknown): number | null {
  if (Array.isArray(value)) return value[0] === 1 ? findPercentOff({ percentOff: value[3] as unknown }) : null;
  if (typeof value !== 'object' || value === null) return null;
  const claims = value as Record<string, unknown>;
  const percentOff = claims.percentOff;
  if (typeof percentOff === 'number' && percentOff >= 0 && percentOff <= 100) return percentOff;
  return findPercentOff(claims.discount);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
