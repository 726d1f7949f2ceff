import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { CheckoutUrl, CreateCheckoutUrlQuery } from './checkout.dto';
import { CheckoutService } from './checkout.service';

@ApiTags('partner')
@Controller('api/v2/partner/subscription')
export class CheckoutController {
  constructor(private readonly checkout: CheckoutService) {}

  @Get('create-checkout-url')
  @Header('Cache-Control', 'no-store')
  @ApiOkResponse({ type: CheckoutUrl })
  @PartnerAccess({ kind: 'promotion', scope: 'checkout:create' })
  create(@CurrentPartner() partner: AuthenticatedPartner, @Query() query: CreateCheckoutUrlQuery): CheckoutUrl {
    return this.checkout.createCheckoutUrl(partner, query, new Date());
  }
}
