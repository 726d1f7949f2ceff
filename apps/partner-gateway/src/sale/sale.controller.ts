import { Body, Controller, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint, ValidationFailedError } from '@tandem/http-api';
import { CurrentPartner, partners } from '../token/partner.access';
import type { AuthenticatedPartner } from '../token/token.repository';
import { Revocation, RevokeSaleBody, RevokeSaleQuery } from './sale.dto';
import { RevokeWindowClosedError, SaleNotRevocableError, SubscriptionNotFoundError } from './sale.errors';
import { SaleRevokeService } from './sale-revoke.service';

@ApiTags('Sales')
@Controller('api/v2/partner/subscription')
export class SaleController {
  constructor(private readonly revocations: SaleRevokeService) {}

  @Put('revoke')
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'sales:revoke' }),
    summary: 'Revoke a sale',
    description:
      'Withdraws a sale, for example because the product was returned. A qualified sale can be revoked for 30 days after the sale, or for the number of days agreed with you. Repeating the request returns the first answer.',
    body: {
      examples: {
        returned: { subscriptionId: 'sub-1001', reason: 'returned', note: 'Sent back unopened' },
        withoutReason: { subscriptionId: 'sub-1001' },
      },
    },
    answer: { description: 'The sale is revoked', type: Revocation },
    errors: [SubscriptionNotFoundError, new SaleNotRevocableError('held'), new RevokeWindowClosedError(30)],
  })
  revokeSale(
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

/**
 * Returns the subscription's id from the body or the query.
 *
 * @throws ValidationFailedError when neither the body nor the query contains the id, or when they contain different ids
 */
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
