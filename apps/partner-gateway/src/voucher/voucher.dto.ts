import { ApiPropertyOptional } from '@nestjs/swagger';
import { KnownParametersOnly } from '@tandem/http-api';
import { Allow } from 'class-validator';

/**
 * The schemas declare no default: with a default, client generators would make the field of the body required, and would send the default in
 * the query even if the body has another count.
 */
const COUNT = {
  type: 'integer',
  minimum: 1,
  description: 'Number of coupons. Default: 10. A number above 500 is not refused: 10 are created',
} as const;

/** The list of groups has no parameters, and refuses every parameter. */
@KnownParametersOnly()
export class ListGroupsQuery {}

/** The body of a creation. Both properties may be in the query instead; voucher.rules.ts validates the body and the query together. */
export class CreateCouponsBody {
  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    nullable: true,
    description: '`id` of a voucher group; needed here or in the query',
  })
  @Allow()
  voucherGroupId?: unknown;

  @ApiPropertyOptional({ ...COUNT, nullable: true })
  @Allow()
  count?: unknown;
}

export class CreateCouponsQuery {
  @ApiPropertyOptional({ type: String, minLength: 1, description: 'Can be given here instead of in the body' })
  @Allow()
  voucherGroupId?: unknown;

  @ApiPropertyOptional(COUNT)
  @Allow()
  count?: unknown;
}
