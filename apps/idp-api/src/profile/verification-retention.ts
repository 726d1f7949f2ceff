import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Retention } from '@tandem/messaging';

/** Deletes the refusals that were kept after a user deleted the profile, once their wait is over. */
@Injectable()
export class VerificationRetention implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.add({ table: 'verification', column: 'forget_at', keepMs: 0 });
  }
}
