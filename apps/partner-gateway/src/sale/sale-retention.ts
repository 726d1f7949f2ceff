import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';
import { PartnerGatewayConfig } from '../config';

const DAY_MS = 86_400_000;

/**
 * Registers the deletion of facts of subscriptions that never became a partner's sale, once no purchase can arrive that they would
 * decide: every refund of a customer without a partner leaves such a row.
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
