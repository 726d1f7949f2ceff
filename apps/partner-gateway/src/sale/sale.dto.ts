import { ApiSchema } from '@nestjs/swagger';
import { REVOKE_REASONS, type RevokeReason } from '@tandem/contracts';
import { EnumField, ListField, TextField, TextListField, TimeField, ViewOf } from '@tandem/http-api';
import { ALL_SALE_STATUSES, Sale, type SaleStatus } from './sale.entity';

const SUBSCRIPTION_ID = { min: 1, max: 255, storable: true, optional: true, nullable: true } as const;

export class RevokeSaleQuery {
  @TextField({ ...SUBSCRIPTION_ID, nullable: false, description: 'Can be given here instead of in the body' })
  subscriptionId?: string;
}

export class RevokeSaleBody {
  @TextField({ ...SUBSCRIPTION_ID, description: "The postback's `oid`; needed here or in the query" })
  subscriptionId?: string | null;

  @EnumField(REVOKE_REASONS, { optional: true, nullable: true, description: 'Omitted or null: `other`' })
  reason?: RevokeReason | null;

  @TextField({ max: 1000, storable: true, optional: true, nullable: true })
  note?: string | null;
}

/** The answer to a revocation. Every repetition of the request gets the same answer. */
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

/** A manager's view of a sale. The buyer's address is masked. */
@ApiSchema({ name: 'Sale' })
export class SaleDto extends ViewOf(Sale, {
  hidden: ['seq', 'version', 'attributedAt', 'emailHash', 'createdAt', 'updatedAt'],
}) {}

const MAX_DECIDED = 100;

const NoteField = (): PropertyDecorator =>
  TextField({
    max: 1000,
    storable: true,
    optional: true,
    nullable: true,
    description: 'The reason, shown to managers',
  });

export class DecisionBody {
  @NoteField()
  note?: string | null;
}

/** A decision that applies to several held sales. */
export class DecisionsBody {
  @EnumField(['release', 'refuse'])
  decision!: 'release' | 'refuse';

  @TextListField({ max: 255, maxItems: MAX_DECIDED, description: 'The ids of the sales' })
  oids!: string[];

  @NoteField()
  note?: string | null;
}

/** The outcome of the decision about one sale. */
@ApiSchema({ name: 'SaleDecision' })
export class SaleDecision {
  @TextField({ example: 'sub-1001' })
  oid!: string;

  @EnumField(ALL_SALE_STATUSES, {
    nullable: true,
    example: 'qualified',
    description: 'Null when the sale was not decided',
  })
  status!: SaleStatus | null;

  @TextField({
    nullable: true,
    description: 'The code of the error that prevented the decision, such as `sale_not_held`',
  })
  code!: string | null;

  @TextField({ nullable: true, description: 'The text of the error, for people' })
  detail!: string | null;
}

@ApiSchema({ name: 'SaleDecisions' })
export class SaleDecisions {
  @ListField(() => SaleDecision, { description: 'In the order of `oids`' })
  items!: SaleDecision[];
}
