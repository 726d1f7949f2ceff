import { ApiSchema, OmitType, PickType } from '@nestjs/swagger';
import {
  EnumField,
  IntegerField,
  KnownParametersOnly,
  ObjectField,
  PageOf,
  TextField,
  TimeField,
} from '@tandem/http-api';
import { DELIVERY_STATUSES, type DeliveryStatus, MAX_SALES_ASKED, SalePostback } from '@tandem/internal-api';
import { SaleDto } from '../sale/sale.dto';
import { SALE_STATUSES, type SaleStatus } from '../sale/sale.entity';

export type PartnerSaleStatus = Exclude<SaleStatus, 'unattributed'>;

/** Selects the sales that a partner lists. */
@KnownParametersOnly()
export class PartnerSaleFilterQuery {
  @EnumField(SALE_STATUSES, { optional: true })
  status?: PartnerSaleStatus;

  @TextField({
    min: 1,
    max: 1000,
    storable: true,
    optional: true,
    description: 'Only sales with this reference of yours: the `ref_id` of their checkout URL',
  })
  refId?: string;

  @TimeField({ optional: true, description: 'Only sales of then or later' })
  from?: string;

  @TimeField({ optional: true, description: 'Only sales before then' })
  to?: string;
}

@KnownParametersOnly()
export class PartnerSalesQuery extends PartnerSaleFilterQuery {
  @TextField({ optional: true, description: '`nextCursor` of the previous page; valid for the same filters only' })
  cursor?: string;

  @IntegerField({ min: 1, max: MAX_SALES_ASKED, optional: true, fromText: true, default: 50 })
  limit = 50;
}

/** With `unknown`, all other fields of the postback are null. */
const POSTBACK_STATES = [...DELIVERY_STATUSES, 'unknown'] as const;

@ApiSchema({ name: 'PostbackOfSale' })
export class PostbackOfSale extends OmitType(SalePostback, ['id', 'oid', 'status', 'attempts']) {
  @TextField({
    nullable: true,
    format: 'uuid',
    description: 'Of the delivery, whose attempts `GET /partner/postback/deliveries?oid=` lists',
  })
  id!: string | null;

  @EnumField(POSTBACK_STATES, {
    example: 'delivered',
    description: '`unknown`: the delivery log cannot be reached now; ask again',
  })
  status!: DeliveryStatus | 'unknown';

  @IntegerField({ min: 0, nullable: true, example: 1, description: 'How often it was sent' })
  attempts!: number | null;
}

/** A partner's view of one of its sales. It shows no more of the buyer than the postback does. */
@ApiSchema({ name: 'PartnerSale' })
export class PartnerSale extends PickType(SaleDto, [
  'oid',
  'currency',
  'amount',
  'items',
  'emailMasked',
  'soldAt',
  'qualifiedAt',
  'revokedAt',
]) {
  @TextField({ nullable: true, example: 'order-1', description: 'Your own reference: `sharedId` in the postback' })
  refId!: string | null;

  @EnumField(SALE_STATUSES, { example: 'qualified' })
  status!: PartnerSaleStatus;

  @TextField({
    nullable: true,
    description:
      'Of a held sale why it is held, of a failed one why it never qualifies, of a revoked one the reason that you gave; else null',
  })
  reason!: string | null;

  @TimeField({ nullable: true, description: 'When it was refunded or charged back' })
  closedAt!: Date | null;

  @ObjectField(() => PostbackOfSale, {
    nullable: true,
    description: 'Null: none was made, because the sale has not qualified or is older than the delivery log',
  })
  postback!: PostbackOfSale | null;
}

export class PartnerSalePage extends PageOf(PartnerSale) {}
