import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { PromotionNotActiveError } from '../promotion/promotion.errors';
import { CurrentPartner, partners } from '../token/partner.access';
import type { AuthenticatedPartner } from '../token/token.repository';
import { CheckoutUrl, CreateCheckoutUrlQuery } from './checkout.dto';
import { CheckoutService } from './checkout.service';

@ApiTags('Checkout')
@Controller('api/v2/partner/subscription')
export class CheckoutController {
  constructor(private readonly checkout: CheckoutService) {}

  @Get('create-checkout-url')
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'checkout:create' }),
    summary: 'Create a checkout URL',
    description:
      'Returns a signed URL that opens the checkout with the discount of the active promotion. Nothing is stored, so only the rate limit restricts the number of URLs.',
    answer: { description: 'The URL', type: CheckoutUrl },
    errors: [PromotionNotActiveError],
    noStore: true,
  })
  createCheckoutUrl(
    @CurrentPartner() partner: AuthenticatedPartner,
    @Query() query: CreateCheckoutUrlQuery,
  ): CheckoutUrl {
    return this.checkout.createCheckoutUrl(partner, query, new Date());
  }
}
