import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { isCurrency } from '../checkout/currency.rules';
import { ManagedVoucherGroupView, VOUCHER_GROUP_STATUSES, type VoucherGroupStatus } from '@tandem/internal-api';
import {
  EnumField,
  IntegerField,
  LINE_OF_TEXT,
  ObjectField,
  PageOf,
  RuleField,
  TextField,
  TimeField,
} from '@tandem/http-api';

export class ManagedVoucherGroupPage extends PageOf(ManagedVoucherGroupView) {}

export class NewVoucherProduct {
  @TextField({ min: 1, max: 200, ...LINE_OF_TEXT })
  name!: string;

  @TextField({
    max: 200,
    pattern: /^[^\p{Cc}\p{Cs}]*$/u,
    message: 'tier must be a line of text',
    optional: true,
    description: 'Default: empty',
  })
  tier?: string;

  @IntegerField({ min: 1, max: 1200 })
  periodMonths!: number;
}

export class CreateVoucherGroupBody {
  @TextField({ min: 1, max: 200, ...LINE_OF_TEXT })
  name!: string;

  @ObjectField(() => NewVoucherProduct)
  product!: NewVoucherProduct;

  @RuleField(isCurrency, {
    schema: { pattern: '^[A-Z]{3}$' },
    message: '$property must be an ISO 4217 code',
    example: 'USD',
    description: 'ISO 4217',
  })
  currency!: string;

  @EnumField(ENVIRONMENTS, { optional: true, description: 'Default: live' })
  environment?: Environment;

  @EnumField(VOUCHER_GROUP_STATUSES, { optional: true, description: 'Default: active' })
  status?: VoucherGroupStatus;

  @IntegerField({
    min: 0,
    max: 2_000_000_000,
    optional: true,
    nullable: true,
    description: 'Omitted or null: unlimited',
  })
  stock?: number | null;

  @TimeField({ optional: true, description: 'Default: now' })
  validFrom?: string;

  @TimeField({ optional: true, nullable: true, description: 'Omitted or null: no end' })
  validUntil?: string | null;
}
