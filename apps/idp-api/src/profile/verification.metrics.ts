import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Measurement, type MeasuredValue } from '@tandem/messaging';
import { Gauge } from 'prom-client';
import { VerificationRepository } from './verification.repository';

const USERS_LOCKED = new Gauge({
  name: 'identity_users_locked',
  help: 'Users whose identity the vendor refused: waiting for their next attempt, or at the maximum',
  labelNames: ['app', 'lock'],
});

/** Exports how many users are locked. */
@Injectable()
export class VerificationMetrics implements OnModuleInit {
  constructor(
    private readonly measurement: Measurement,
    private readonly verifications: VerificationRepository,
  ) {}

  onModuleInit(): void {
    this.measurement.add({ name: 'the number of locked users', read: () => this.read() });
  }

  private async read(): Promise<MeasuredValue[]> {
    const { waiting, maximum } = await this.verifications.countLocked();
    return [
      { gauge: USERS_LOCKED, labels: { lock: 'waiting' }, value: waiting },
      { gauge: USERS_LOCKED, labels: { lock: 'maximum' }, value: maximum },
    ];
  }
}
