import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';
import { PartnerGatewayConfig } from '../config';

const DAY_MS = 86_400_000;

/**
 * Registers the deletion of old rows of `sale` that were never attributed to a partner. Such a row is stored, for example, for each
 * subscription that is refunded without being a partner's sale. The default retention is as long as the maximum delay with which a purchase
 * of the same subscription can arrive.
 */
@Injectable()
export class SaleRetention implements OnModuleInit {
  constructor(
    private readonly config: PartnerGatewayConfig,
    private readonly retention: Retention,
  ) {}

  onModuleInit(): void {
    this.retention.add({
      table: 'sale',
      column: 'updated_at',
      condition: `status = 'unattributed'`,
      keepMs: this.config.UNATTRIBUTED_SALE_RETENTION_DAYS * DAY_MS,
    });
  }
}
