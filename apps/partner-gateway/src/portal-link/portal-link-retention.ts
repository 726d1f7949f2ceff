import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';

/** Links are kept for a while to show who had access recently. The audit trail shows this permanently. */
const KEEP_MS = 30 * 86_400_000;

/** Registers the deletion of old portal links, with the tokens of their sessions. */
@Injectable()
export class PortalLinkRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'portal_link', column: 'expires_at', keepMs: KEEP_MS });
  }
}
