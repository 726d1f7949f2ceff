import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../openapi/operation.decorators';
import { PromotionNotActiveError } from '../promotion/promotion.errors';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { CheckoutUrl, CreateCheckoutUrlQuery } from './checkout.dto';
import { CheckoutService } from './checkout.service';

@ApiTags('Checkout')
@Controller('api/v2/partner/subscription')
export class CheckoutController {
  constructor(private readonly checkout: CheckoutService) {}

  @Get('create-checkout-url')
  @Operation({
    summary: 'Make a checkout URL',
    description:
      'A signed URL that opens the checkout with the discount of the active promotion. Nothing is written: ask for as many as you need.',
    answer: { description: 'The URL', type: CheckoutUrl },
    errors: [PromotionNotActiveError],
    noStore: true,
  })
  @PartnerAccess({ kind: 'promotion', scope: 'checkout:create' })
  createCheckoutUrl(
    @CurrentPartner() partner: AuthenticatedPartner,
    @Query() query: CreateCheckoutUrlQuery,
  ): CheckoutUrl {
    return this.checkout.createCheckoutUrl(partner, query, new Date());
  }
}
