import { ApiSchema, OmitType } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { ALL_PARTNERS } from '@tandem/database';
import {
  EnumField,
  IntegerField,
  KnownParametersOnly,
  ListField,
  PageOf,
  TextField,
  TimeField,
} from '@tandem/http-api';
import { NotEquals } from 'class-validator';
import { PageQuery } from '../paging/page.dto';
import { SaleDto } from '../sale/sale.dto';
import { ALL_SALE_STATUSES, SALE_STATUSES, type SaleStatus } from '../sale/sale.entity';

/** An optional filter, which must not be an empty string. */
const Filter = (max: number, description?: string): PropertyDecorator =>
  TextField({ min: 1, max, storable: true, optional: true, description });

/** The filters of a manager's list of sales. */
export class SalesQuery extends PageQuery {
  @EnumField(ALL_SALE_STATUSES, {
    optional: true,
    description:
      '`unattributed` lists purchases that are not a partner’s sale, and refunds without a purchase. Without this filter and without `oid`, both are omitted',
  })
  status?: SaleStatus;

  @NotEquals(ALL_PARTNERS)
  @Filter(255)
  partnerId?: string;

  @Filter(
    255,
    'The subscription’s id. Also finds a purchase that is not a partner’s sale. Such a purchase has no environment, and `environment` does not exclude it',
  )
  oid?: string;

  @Filter(1024, "The partner's own reference")
  refId?: string;

  @EnumField(ENVIRONMENTS, { optional: true })
  environment?: Environment;

  @TimeField({ optional: true, description: 'Only sales made at this time or later' })
  from?: string;

  @TimeField({ optional: true, description: 'Only sales made before this time' })
  to?: string;

  @Filter(
    1000,
    'A complete subscription id, a complete reference, or a search for partners as in `GET /admin/partners?search=` that matches at most 50 of them. Cannot be combined with `partnerId`, `oid` or `refId`',
  )
  search?: string;

  @EnumField(['true', 'false'], { optional: true, description: 'Whether to return `totals`' })
  totals?: 'true' | 'false';
}

/** The filters of the JSON lines export. */
@KnownParametersOnly()
export class ExportQuery {
  @EnumField(ENVIRONMENTS, { optional: true })
  environment?: Environment;

  @TimeField({ optional: true, description: 'Only sales made at this time or later' })
  from?: string;

  @TimeField({ optional: true, description: 'Only sales made before this time' })
  to?: string;
}

/** The filters of the CSV export. */
@KnownParametersOnly()
export class SalesCsvQuery extends OmitType(SalesQuery, ['status', 'oid', 'totals', 'cursor', 'limit']) {
  @EnumField(SALE_STATUSES, { optional: true })
  status?: SaleStatus;
}

/** A sale in a manager's list. */
@ApiSchema({ name: 'ListedSale' })
export class ListedSale extends SaleDto {
  @TextField({ nullable: true, example: 'My shop', description: 'Null when the purchase is not a partner’s sale' })
  partnerName!: string | null;
}

@ApiSchema({ name: 'SaleTotal' })
export class SaleTotal {
  @TextField({ example: 'USD', description: 'ISO 4217' })
  currency!: string;

  @IntegerField({ min: 0, example: 3, description: 'Number of sales that have qualified' })
  count!: number;

  @TextField({ pattern: /^-?\d+\.\d{2}$/, example: '149.85', description: 'Total amount of these sales' })
  amount!: string;
}

export class SalePage extends PageOf(ListedSale) {
  @ListField(() => SaleTotal, {
    nullable: true,
    description:
      'The sales on all pages that match the filters and have qualified, by currency. Null unless the request has `totals=true`, `environment` and `from`, its times are on quarter hours, and its range is at most 366 days. Also null with `oid`, `refId`, `search`, or a status of sales that have not qualified',
  })
  totals!: SaleTotal[] | null;
}
