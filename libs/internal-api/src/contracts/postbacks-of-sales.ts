import { PickType } from '@nestjs/swagger';
import { IntegerField, ListField, TextListField } from '@tandem/http-api';
import { postbackDeliveriesPath, PostbackDeliveryView } from './postback-deliveries';

/** `POST` with {@link PostbacksOfSales}: 200 {@link SalePostbacks}. */
export const postbacksOfSalesPath = (partnerId: string, environment: string): string =>
  `${postbackDeliveriesPath(partnerId, environment)}/of-sales`;

/** The postback of a sale, without its attempts. */
export class SalePostback extends PickType(PostbackDeliveryView, [
  'id',
  'oid',
  'status',
  'deliveredAt',
  'nextAttemptAt',
  'error',
]) {
  @IntegerField({ min: 0, example: 2, description: 'Number of attempts' })
  attempts!: number;
}

/** The postbacks of the requested sales, in any order. A sale without a postback is left out. */
export class SalePostbacks {
  @ListField(() => SalePostback)
  items!: SalePostback[];
}

/** Maximum number of sales in a request: the largest page of a partner's sales. */
export const MAX_SALES_ASKED = 200;

/** The sales whose postbacks are requested. */
export class PostbacksOfSales {
  @TextListField({ max: 255, maxItems: MAX_SALES_ASKED })
  oids!: string[];
}
