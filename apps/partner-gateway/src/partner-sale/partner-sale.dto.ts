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

/** The filters of a partner's list of its sales. */
@KnownParametersOnly()
export class PartnerSaleFilterQuery {
  @EnumField(SALE_STATUSES, { optional: true })
  status?: PartnerSaleStatus;

  @TextField({
    min: 1,
    max: 1024,
    storable: true,
    optional: true,
    description: 'Only sales with this reference, which the postback contains as `sharedId`',
  })
  refId?: string;

  @TimeField({ optional: true, description: 'Only sales made at this time or later' })
  from?: string;

  @TimeField({ optional: true, description: 'Only sales made before this time' })
  to?: string;
}

@KnownParametersOnly()
export class PartnerSalesQuery extends PartnerSaleFilterQuery {
  @TextField({ optional: true, description: '`nextCursor` of the previous page; valid only with the same filters' })
  cursor?: string;

  @IntegerField({ min: 1, max: MAX_SALES_ASKED, optional: true, fromText: true, default: 50 })
  limit = 50;
}

/** The possible statuses of a sale's postback. If the status is `unknown`, all other properties of the postback are null. */
const POSTBACK_STATES = [...DELIVERY_STATUSES, 'unknown'] as const;

@ApiSchema({ name: 'PostbackOfSale' })
export class PostbackOfSale extends OmitType(SalePostback, ['id', 'oid', 'status', 'attempts']) {
  @TextField({
    nullable: true,
    format: 'uuid',
    description: 'The id of the delivery. `GET /partner/postback/deliveries?oid=` lists its attempts',
  })
  id!: string | null;

  @EnumField(POSTBACK_STATES, {
    example: 'delivered',
    description: '`unknown`: the delivery log is unavailable. Repeat the request',
  })
  status!: DeliveryStatus | 'unknown';

  @IntegerField({ min: 0, nullable: true, example: 1, description: 'Number of attempts' })
  attempts!: number | null;
}

/** A partner's view of one of its sales. It contains no more data about the buyer than the postback does. */
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
  @TextField({
    nullable: true,
    example: 'order-1',
    description: 'The partner’s own reference, sent as `sharedId` in the postback',
  })
  refId!: string | null;

  @EnumField(SALE_STATUSES, { example: 'qualified' })
  status!: PartnerSaleStatus;

  @TextField({
    nullable: true,
    description: 'Why the sale is held or has failed, or the reason that you gave when you revoked it. Otherwise null',
  })
  reason!: string | null;

  @TimeField({ nullable: true, description: 'When the sale was refunded or charged back' })
  closedAt!: Date | null;

  @ObjectField(() => PostbackOfSale, {
    nullable: true,
    description:
      'Null when there is no delivery: the sale has not qualified, is not in the delivery log yet, or is older than the delivery log',
  })
  postback!: PostbackOfSale | null;
}

export class PartnerSalePage extends PageOf(PartnerSale) {}
