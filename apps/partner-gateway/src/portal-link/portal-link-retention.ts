import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';

/**
 * How long a link is kept after its `expiresAt`. Until the link is deleted, the list of links shows whether it was opened. The audit trail
 * shows this permanently.
 */
const KEEP_MS = 30 * 86_400_000;

/** Registers the deletion of old portal links, together with the tokens of their sessions. */
@Injectable()
export class PortalLinkRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'portal_link', column: 'expires_at', keepMs: KEEP_MS });
  }
}
