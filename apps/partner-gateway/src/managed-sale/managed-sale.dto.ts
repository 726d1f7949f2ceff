import { ApiSchema } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import {
  EnumField,
  IntegerField,
  KnownParametersOnly,
  ListField,
  PageOf,
  TextField,
  TimeField,
} from '@tandem/http-api';
import { PageQuery } from '../paging/page.dto';
import { SaleDto } from '../sale/sale.dto';
import { ALL_SALE_STATUSES, type SaleStatus } from '../sale/sale.entity';

/** May be omitted; an empty value is refused, because it would match nothing. */
const Filter = (max: number, description?: string): PropertyDecorator =>
  TextField({ min: 1, max, storable: true, optional: true, description });

/** Which sales a manager asks for. */
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

  @EnumField(ENVIRONMENTS, { optional: true })
  environment?: Environment;

  @TimeField({ optional: true, description: 'Only sales of then or later, by the time of the sale' })
  from?: string;

  @TimeField({ optional: true, description: 'Only sales before then, by the time of the sale' })
  to?: string;

  @Filter(
    1000,
    'The whole id of a subscription, a whole reference, or a partner as `GET /admin/partners?search=` finds it; at most 50 partners may match. Not together with `partnerId`, `oid` or `refId`',
  )
  search?: string;

  @EnumField(['true', 'false'], { optional: true, description: 'Whether the answer has `totals`' })
  totals?: 'true' | 'false';
}

/** Which sales are exported. */
@KnownParametersOnly()
export class ExportQuery {
  @EnumField(ENVIRONMENTS, { optional: true })
  environment?: Environment;

  @TimeField({ optional: true, description: 'Only sales of then or later, by the time of the sale' })
  from?: string;

  @TimeField({ optional: true, description: 'Only sales before then, by the time of the sale' })
  to?: string;
}

/** A sale in a manager's list. */
@ApiSchema({ name: 'ListedSale' })
export class ListedSale extends SaleDto {
  @TextField({ nullable: true, example: 'My shop', description: 'Null: it is no partner’s sale' })
  partnerName!: string | null;
}

@ApiSchema({ name: 'SaleTotal' })
export class SaleTotal {
  @TextField({ example: 'USD', description: 'ISO 4217' })
  currency!: string;

  @IntegerField({ min: 0, example: 3, description: 'Sales that have qualified' })
  count!: number;

  @TextField({ pattern: /^-?\d+\.\d{2}$/, example: '149.85', description: 'Their total' })
  amount!: string;
}

export class SalePage extends PageOf(ListedSale) {
  @ListField(() => SaleTotal, {
    nullable: true,
    description:
      'Sales of the whole filter that have qualified, by currency. Null without `totals=true`, and when the statistics cannot answer: they need `environment`, `from` and `to` at whole quarters of an hour, at most 366 days, and no `oid`, `refId`, `search` or status of sales that have not qualified',
  })
  totals!: SaleTotal[] | null;
}
