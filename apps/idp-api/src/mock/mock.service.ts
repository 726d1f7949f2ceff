import { Injectable } from '@nestjs/common';
import { IdpApiConfig } from '../config';
import { ProfileService } from '../profile/profile.service';
import { type MockFlags, MockRepository } from './mock.repository';
import { SAMPLE_ALERTS, type SampleAlert } from './mock-samples';

const OFF: MockFlags = { alerts: false, scans: false };

/**
 * Provides sample alerts and scans, which users of a staging system request to try out their clients. The samples are generated and never
 * stored.
 */
@Injectable()
export class MockService {
  constructor(
    private readonly config: IdpApiConfig,
    private readonly profiles: ProfileService,
    private readonly flags: MockRepository,
  ) {}

  /** @throws UserNotFoundError */
  async getFlags(krn: string): Promise<MockFlags> {
    await this.profiles.get(krn);
    return this.flags.find(krn);
  }

  /** Changes the flags that are given. @throws UserNotFoundError */
  async setFlags(krn: string, flags: Partial<MockFlags>): Promise<void> {
    await this.profiles.get(krn);
    await this.flags.set(krn, flags);
  }

  /** Returns the sample alerts that the user sees. */
  async alertsOf(krn: string): Promise<readonly SampleAlert[]> {
    return (await this.effectiveFlags(krn)).alerts ? SAMPLE_ALERTS : [];
  }

  /** Returns whether the user sees sample scans. */
  async hasScans(krn: string): Promise<boolean> {
    return (await this.effectiveFlags(krn)).scans;
  }

  /** Returns which samples the user sees. Without MOCK_ENABLED, the user sees no samples, whatever flags are stored. */
  async effectiveFlags(krn: string): Promise<MockFlags> {
    return this.config.MOCK_ENABLED ? this.flags.find(krn) : OFF;
  }
}
