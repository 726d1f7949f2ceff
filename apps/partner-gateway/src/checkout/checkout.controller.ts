import { Controller, Get, Header, Query } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/service-defaults';
import { PartnerOperation } from '../openapi/operation.decorators';
import { PromotionNotActiveError } from '../promotion/promotion.errors';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { CHECKOUT_URL_EXAMPLE, CheckoutUrl, CreateCheckoutUrlQuery } from './checkout.dto';
import { CheckoutService } from './checkout.service';

@Controller('api/v2/partner/subscription')
export class CheckoutController {
  constructor(private readonly checkout: CheckoutService) {}

  @Get('create-checkout-url')
  @Header('Cache-Control', 'no-store')
  @PartnerOperation({
    id: 'createCheckoutUrl',
    tag: 'Checkout',
    summary: 'Make a checkout URL',
    description:
      'A signed URL that opens the checkout with the discount of the active promotion. Nothing is written: ask for as many as you need.',
    success: { description: 'The URL', type: CheckoutUrl, example: CHECKOUT_URL_EXAMPLE, headers: ['Cache-Control'] },
    failures: [
      new PromotionNotActiveError(),
      new ValidationFailedError([{ field: 'ref_id', message: 'ref_id must be 1 to 200 printable characters' }]),
    ],
  })
  @PartnerAccess({ kind: 'promotion', scope: 'checkout:create' })
  create(@CurrentPartner() partner: AuthenticatedPartner, @Query() query: CreateCheckoutUrlQuery): CheckoutUrl {
    return this.checkout.createCheckoutUrl(partner, query, new Date());
  }
}
