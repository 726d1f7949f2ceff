import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';

/**
 * Deletes the rows of `verification` of users who deleted their profile, or whom support unlocked while they had no profile. A row is
 * deleted when the user's wait is over, and at the latest 30 days after the delete or the unlock.
 */
@Injectable()
export class VerificationRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'verification', column: 'forget_at', keepMs: 0 });
  }
}
