import type { CheckoutTokenFault, CheckoutTokens } from '@tandem/auth';
import { DEFAULT_PLAN, isPlan, type Plan } from './plans';

/** The fault of a checkout URL: its token is invalid, or `data4` is not the signed reference. */
export type LinkFault = CheckoutTokenFault | 'reference_changed';

/** The contents of a checkout URL. */
export interface CheckoutLink {
  checkoutToken?: string;
  data4?: string;
  plan: Plan;
  currency: string;
  /** The discount of a valid token; otherwise null. */
  discount: { percentOff: number } | null;
  fault: LinkFault | null;
}

/** Reads checkout URLs. Only the query matters, so a URL is valid wherever the store runs. */
export class CheckoutLinks {
  constructor(private readonly tokens: CheckoutTokens) {}

  read(query: URLSearchParams, now: Date): CheckoutLink {
    const plan = query.get('plan');
    const currency = query.get('currency') ?? '';
    const data4 = query.get('data4') ?? undefined;
    const checkoutToken = query.get('checkout') || undefined;
    return {
      checkoutToken,
      data4,
      plan: isPlan(plan) ? plan : DEFAULT_PLAN,
      currency: /^[A-Z]{3}$/.test(currency) ? currency : 'USD',
      ...(checkoutToken === undefined ? NO_TOKEN : this.readToken(checkoutToken, data4, now)),
    };
  }

  private readToken(token: string, data4: string | undefined, now: Date): Pick<CheckoutLink, 'discount' | 'fault'> {
    const { claims, fault } = this.tokens.verify(token, now);
    if (claims === null) return { discount: null, fault };
    // A reference may be added to a URL that was created without a reference. If the token contains a signed reference, the partner gets the
    // signed reference, so a different reference in the URL is a fault.
    const isChanged = claims.refId !== null && claims.refId !== data4;
    return { discount: { percentOff: claims.percentOff }, fault: isChanged ? 'reference_changed' : null };
  }
}

const NO_TOKEN = { discount: null, fault: null };
