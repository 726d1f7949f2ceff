import { Injectable } from '@nestjs/common';
import type { DeadLetterView, UserStory } from '@tandem/internal-api';
import { DeadLetterLog } from '@tandem/messaging';
import { UserAtVendorService } from './user-at-vendor.service';
import { UserRecordService } from './user-record.service';
import { judge } from './user-story.rules';

/** Explains why a user is locked, is not enrolled, or sees no alerts. The explanation never contains personal data. */
@Injectable()
export class UserStoryService {
  constructor(
    private readonly records: UserRecordService,
    private readonly vendor: UserAtVendorService,
    private readonly deadLetters: DeadLetterLog,
  ) {}

  /** Returns the explanation for a user, even if nothing is known about the user. */
  async explain(krn: string): Promise<UserStory> {
    const [user, vendor] = await Promise.all([this.records.get(krn), this.vendor.get(krn)]);
    const facts = {
      user,
      vendor,
      deadLetters: await this.deadLettersOf([krn, user.arrayUserId, ...user.subscriptions.map(({ id }) => id)]),
    };
    return { ...judge(facts, new Date()), ...facts };
  }

  private async deadLettersOf(keys: readonly string[]): Promise<DeadLetterView[]> {
    const found = await this.deadLetters.findOpen(keys);
    return found.map((letter) => ({ ...letter, app: 'idp-api', failedAt: letter.failedAt.toISOString() }));
  }
}
