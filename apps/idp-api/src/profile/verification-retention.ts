import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';

/** Has refusals deleted that a user left behind with a deleted profile, once their wait is over. */
@Injectable()
export class VerificationRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'verification', column: 'forget_at', keepMs: 0 });
  }
}
