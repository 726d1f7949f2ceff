import { Body, Controller, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ValidationFailedError } from '@tandem/service-defaults';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { Revocation, RevokeSaleBody, RevokeSaleQuery } from './sale.dto';
import { SaleRevokeService } from './sale-revoke.service';

@ApiTags('partner')
@Controller('api/v2/partner/subscription')
export class SaleController {
  constructor(private readonly revocations: SaleRevokeService) {}

  @Put('revoke')
  @ApiOkResponse({ type: Revocation })
  @PartnerAccess({ kind: 'promotion', scope: 'sales:revoke' })
  revoke(
    @CurrentPartner() partner: AuthenticatedPartner,
    @Query() query: RevokeSaleQuery,
    @Body() body: RevokeSaleBody,
  ): Promise<Revocation> {
    const wanted = {
      subscriptionId: subscriptionIdOf(query, body),
      reason: body.reason ?? 'other',
      note: body.note ?? null,
    } as const;
    return this.revocations.revokeSale(partner, wanted, new Date());
  }
}

/** Given in the body, in the query, or the same in both. */
function subscriptionIdOf(query: RevokeSaleQuery, body: RevokeSaleBody): string {
  const inBody = body.subscriptionId ?? undefined;
  const subscriptionId = inBody ?? query.subscriptionId;
  if (subscriptionId === undefined) {
    throw new ValidationFailedError([{ field: 'subscriptionId', message: 'subscriptionId must be given' }]);
  }
  if (query.subscriptionId !== undefined && query.subscriptionId !== subscriptionId) {
    const message = 'subscriptionId differs between the body and the query';
    throw new ValidationFailedError([{ field: 'subscriptionId', message }]);
  }
  return subscriptionId;
}
