import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';
import { PartnerGatewayConfig } from '../config';

const DAY_MS = 86_400_000;

/**
 * Has facts of subscriptions that never became a partner's sale deleted when no purchase can come any more that they would decide: every
 * refund of somebody else's customer leaves such a row.
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
