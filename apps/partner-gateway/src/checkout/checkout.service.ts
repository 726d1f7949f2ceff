import { Injectable } from '@nestjs/common';
import { CheckoutTokens } from '@tandem/auth';
import { PartnerGatewayConfig } from '../config';
import { PromotionNotActiveError } from '../promotion/promotion.errors';
import type { AuthenticatedPartner } from '../token/token.repository';
import type { CheckoutUrl, CreateCheckoutUrlQuery } from './checkout.dto';

@Injectable()
export class CheckoutService {
  private readonly baseUrl: string;

  constructor(
    private readonly tokens: CheckoutTokens,
    private readonly config: PartnerGatewayConfig,
  ) {
    const base = new URL(config.CHECKOUT_BASE_URL);
    this.baseUrl = base.href + (base.search === '' ? '?' : '&');
  }

  /**
   * Creates a checkout URL. Nothing is stored, because the signature proves that the checkout token in the URL is genuine.
   *
   * @throws PromotionNotActiveError
   */
  createCheckoutUrl(partner: AuthenticatedPartner, query: CreateCheckoutUrlQuery, now: Date): CheckoutUrl {
    const { promotionId, percentOff } = partner;
    if (promotionId === null || percentOff === null) throw new PromotionNotActiveError();
    const refId = query.ref_id ?? null;
    // The token stores its expiry in whole seconds. `expiresAt` of the answer is rounded in the same way, so that it is exactly the time at
    // which the token expires.
    const expiresAt = new Date((Math.floor(now.getTime() / 1000) + this.config.CHECKOUT_TTL_SECONDS) * 1000);
    const { partnerId, environment } = partner;
    const checkout = this.tokens.sign({ partnerId, promotionId, percentOff, environment, refId, expiresAt });
    return {
      checkoutUrl: this.baseUrl + queryOf({ ...query, checkout, data4: query.ref_id }),
      refId,
      discount: { id: promotionId, percentOff },
      expiresAt: expiresAt.toISOString(),
    };
  }
}

function queryOf(fields: {
  checkout: string;
  data4?: string;
  plan?: string;
  currency?: string;
  locale?: string;
}): string {
  return (['checkout', 'data4', 'plan', 'currency', 'locale'] as const)
    .flatMap((name) => (fields[name] === undefined ? [] : [`${name}=${encodeURIComponent(fields[name])}`]))
    .join('&');
}
