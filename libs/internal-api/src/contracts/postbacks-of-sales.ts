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
  @IntegerField({ min: 0, example: 2, description: 'How often it was sent' })
  attempts!: number;
}

/** The postbacks of those of the sales that have one, in any order. */
export class SalePostbacks {
  @ListField(() => SalePostback)
  items!: SalePostback[];
}

/** How many sales can be asked for at once: the largest page of a partner's sales. */
export const MAX_SALES_ASKED = 200;

/** Sales whose postbacks are asked for. */
export class PostbacksOfSales {
  @TextListField({ max: 255, maxItems: MAX_SALES_ASKED })
  oids!: string[];
}
