import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';

/**
 * Deletes the rows of `verification` of users who deleted their profile while they were locked, or whom support unlocked while they had no
 * profile. The row of a user who deleted the profile during a wait is deleted when the wait is over, but at most 30 days after the profile;
 * any other row is deleted after 30 days.
 */
@Injectable()
export class VerificationRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'verification', column: 'forget_at', keepMs: 0 });
  }
}
