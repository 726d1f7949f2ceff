import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';
import { PartnerGatewayConfig } from '../config';

const DAY_MS = 86_400_000;

/**
 * Registers the deletion of old applications, whether they were decided or not. They contain personal data of people who may never become
 * partners.
 */
@Injectable()
export class ApplicationRetention implements OnModuleInit {
  constructor(
    private readonly config: PartnerGatewayConfig,
    private readonly retention: Retention,
  ) {}

  onModuleInit(): void {
    const keepMs = this.config.PARTNER_APPLICATION_RETENTION_DAYS * DAY_MS;
    this.retention.add({ table: 'partner_application', column: 'updated_at', keepMs });
  }
}
