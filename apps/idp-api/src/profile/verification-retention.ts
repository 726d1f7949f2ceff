import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';

/**
 * Deletes rows of `verification` whose user has no profile:
 * - If the user deleted the profile during a wait, the row is deleted when the wait is over, or 30 days later if the wait is longer.
 * - If the user deleted the profile without an attempt left, the row is deleted 30 days later.
 * - If support unlocked the user, who had no profile, the row is deleted 30 days later.
 */
@Injectable()
export class VerificationRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'verification', column: 'forget_at', keepMs: 0 });
  }
}
