import { Injectable } from '@nestjs/common';
import type { DeadLetterView, UserStory } from '@tandem/internal-api';
import { DeadLetterLog } from '@tandem/messaging';
import { UserAtVendorService } from './user-at-vendor.service';
import { UserRecordService } from './user-record.service';
import { judge } from './user-story.rules';

/** Explains why a user is locked, is not enrolled, or sees no alerts. It never contains personal data. */
@Injectable()
export class UserStoryService {
  constructor(
    private readonly records: UserRecordService,
    private readonly vendor: UserAtVendorService,
    private readonly deadLetters: DeadLetterLog,
  ) {}

  /** Returns the story of a user, even of a user about whom nothing is known. */
  async tell(krn: string): Promise<UserStory> {
    const [user, vendor] = await Promise.all([this.records.get(krn), this.vendor.get(krn)]);
    const facts = {
      user,
      vendor,
      deadLetters: await this.deadLettersOf([krn, ...user.subscriptions.map(({ id }) => id)]),
    };
    return { ...judge(facts, new Date()), ...facts };
  }

  private async deadLettersOf(keys: readonly string[]): Promise<DeadLetterView[]> {
    const found = await this.deadLetters.findOpen(keys);
    return found.map((letter) => ({ ...letter, app: 'idp-api', failedAt: letter.failedAt.toISOString() }));
  }
}
