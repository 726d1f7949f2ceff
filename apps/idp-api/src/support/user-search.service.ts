import { Injectable } from '@nestjs/common';
import { type FoundUsers, type SearchKey, searchKeyOf, type UserSearch } from '@tandem/internal-api';
import { SubscriptionRepository } from '../entitlement/subscription.repository';
import { ProfileHashes } from '../profile/profile-hashes';
import { ProfileRepository } from '../profile/profile.repository';
import { UnlockUserService } from '../user/unlock-user.service';

/**
 * How many users a search returns at most. A person has only a few profiles, so a key that matches more users does not identify a person.
 */
const MAX_FOUND = 10;

/** Finds users by data that they know about themselves. Nothing is decrypted. */
@Injectable()
export class UserSearchService {
  constructor(
    private readonly profiles: ProfileRepository,
    private readonly hashes: ProfileHashes,
    private readonly subscriptions: SubscriptionRepository,
    private readonly unlocking: UnlockUserService,
  ) {}

  /** Returns the users whom the key of the search identifies. @throws ValidationFailedError when the search has no key or several keys */
  async search(search: UserSearch): Promise<FoundUsers> {
    const { by, value } = searchKeyOf(search);
    const krns = await this.findKrns(by, value);
    const existing = await this.profiles.filterExisting(krns);
    return { items: krns.map((krn) => ({ user_id: krn, has_profile: existing.has(krn), found_by: by })) };
  }

  private async findKrns(by: SearchKey, value: string): Promise<string[]> {
    if (by === 'email') return this.profiles.findByHash('email_hash', this.hashes.ofEmail(value), MAX_FOUND);
    if (by === 'phone') return this.profiles.findByHash('phone_hash', this.hashes.ofPhone(value), MAX_FOUND);
    if (by === 'subscriptionId') return this.subscriptions.findUsers(value, MAX_FOUND);
    const isKnown = (await this.profiles.find(value)) ?? (await this.unlocking.findState(value));
    return isKnown ? [value] : [];
  }
}
