import { ApiSchema } from '@nestjs/swagger';
import { REVOKE_REASONS, type RevokeReason } from '@tandem/contracts';
import { EnumField, PageOf, TextField, TimeField, ViewOf } from '@tandem/http-api';
import { PageQuery } from '../paging/page.dto';
import { ALL_SALE_STATUSES, Sale, type SaleStatus } from './sale.entity';

const SUBSCRIPTION_ID = { min: 1, max: 255, storable: true, optional: true, nullable: true } as const;

export class RevokeSaleQuery {
  @TextField({ ...SUBSCRIPTION_ID, nullable: false, description: 'In place of the one in the body' })
  subscriptionId?: string;
}

export class RevokeSaleBody {
  @TextField({ ...SUBSCRIPTION_ID, description: "The postback's `oid`; needed here or in the query" })
  subscriptionId?: string | null;

  @EnumField(REVOKE_REASONS, { optional: true, nullable: true, description: 'Left out or null: `other`' })
  reason?: RevokeReason | null;

  @TextField({ max: 1000, storable: true, optional: true, nullable: true })
  note?: string | null;
}

/** The answer to a revocation, the first one and every repeat. */
export class Revocation {
  @TextField({ example: 'sub-1001' })
  subscriptionId!: string;

  @EnumField(['revoked'])
  status!: 'revoked';

  @TimeField()
  revokedAt!: string;

  @EnumField(REVOKE_REASONS, { example: 'returned' })
  reason!: RevokeReason;
}

/** May be omitted; an empty value is refused, because it would match nothing. */
const Filter = (max: number, description?: string): PropertyDecorator =>
  TextField({ min: 1, max, storable: true, optional: true, description });

export class SalesQuery extends PageQuery {
  @EnumField(ALL_SALE_STATUSES, {
    optional: true,
    description:
      '`unattributed`: purchases that are not a partner’s sale; they are left out unless this or `oid` is given',
  })
  status?: SaleStatus;

  @Filter(255)
  partnerId?: string;

  @Filter(255, "The subscription's id")
  oid?: string;

  @Filter(1000, "The partner's own reference")
  refId?: string;
}

/** A manager's view of a sale: the buyer's address is masked. */
@ApiSchema({ name: 'Sale' })
export class SaleDto extends ViewOf(Sale, {
  hidden: ['seq', 'version', 'attributedAt', 'emailHash', 'createdAt', 'updatedAt'],
}) {}

export class SalePage extends PageOf(SaleDto) {}
