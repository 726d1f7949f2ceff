import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS, type SaleItem } from '@tandem/contracts';
import { PageAnswer } from '../paging/page.dto';
import { ALL_SALE_STATUSES, type ClosedBy, type PaymentStatus, type SaleStatus } from './sale.entity';
import type { UnattributedReason } from './attribution.rules';
import type { SaleView } from './sale.view';

const Text = (description?: string): PropertyDecorator => ApiProperty({ type: String, nullable: true, description });
const Time = (description?: string): PropertyDecorator =>
  ApiProperty({ type: String, format: 'date-time', nullable: true, description });

@ApiSchema({ name: 'SaleItem' })
export class SaleItemDto implements SaleItem {
  @ApiProperty({ pattern: '^\\d+\\.\\d{2}$', example: '49.95' })
  price!: string;

  @ApiProperty({ pattern: '^\\d+$', example: '1' })
  quantity!: string;

  @ApiProperty()
  category!: string;

  @ApiProperty({ description: 'Empty when there is none' })
  tier!: string;

  @ApiProperty({ enum: ['Sell'] })
  sku!: 'Sell';
}

@ApiSchema({ name: 'Sale' })
export class SaleDto implements SaleView {
  @ApiProperty({ description: "The subscription's id" })
  oid!: string;

  @ApiProperty({ enum: ALL_SALE_STATUSES })
  status!: SaleStatus;

  @Text()
  partnerId!: string | null;

  @Text()
  promotionId!: string | null;

  @ApiProperty({ enum: [...ENVIRONMENTS, null], type: String, nullable: true })
  environment!: Environment | null;

  @Text("The partner's own reference")
  sharedId!: string | null;

  @Text('What it was attributed by: `checkout` (the signed token of a checkout URL) or `code`')
  attributedBy!: 'checkout' | 'code' | null;

  @Text('Why it is no partner’s sale')
  unattributedReason!: UnattributedReason | null;

  @Text('Of the newest purchase: `captured`, `pending` or `failed`')
  paymentStatus!: PaymentStatus | null;

  @Text()
  emailMasked!: string | null;

  @Text('A decimal number with two places')
  amount!: string | null;

  @Text('ISO 4217')
  currency!: string | null;

  @ApiProperty({ type: SaleItemDto, isArray: true, nullable: true })
  items!: SaleItemDto[] | null;

  @Time()
  soldAt!: string | null;

  @Text('`refunded` or `charged_back`, whether before or after the purchase')
  closedBy!: ClosedBy | null;

  @Time()
  closedAt!: string | null;

  @Text('Why it is or was held')
  holdReason!: string | null;

  @Text('What was decided')
  holdDecision!: string | null;

  @Text('Why it never qualifies')
  failureReason!: string | null;

  @Time()
  qualifiedAt!: string | null;

  @Time()
  revokedAt!: string | null;

  @Text()
  revokeReason!: string | null;

  @Text()
  revokeNote!: string | null;
}

export class SalePage extends PageAnswer {
  @ApiProperty({ type: SaleDto, isArray: true, description: 'Newest first' })
  items!: SaleDto[];
}

export const HELD_SALE_EXAMPLE: SaleDto = {
  oid: 'sub-1001',
  status: 'held',
  partnerId: 'ptn_7c9e6679742540de944be07fc1f90ae7',
  promotionId: 'prm_0f8fad5bd9cb469fa16570867728950e',
  environment: 'live',
  sharedId: 'order-1',
  attributedBy: 'checkout',
  unattributedReason: null,
  paymentStatus: 'captured',
  emailMasked: 'j***e@example.com',
  amount: '49.95',
  currency: 'USD',
  items: [{ price: '49.95', quantity: '1', category: 'Advanced, 1 year', tier: 'advanced', sku: 'Sell' }],
  soldAt: '2026-03-01T12:00:00.000Z',
  closedBy: null,
  closedAt: null,
  holdReason: 'too_many_sales',
  holdDecision: null,
  failureReason: null,
  qualifiedAt: null,
  revokedAt: null,
  revokeReason: null,
  revokeNote: null,
};
