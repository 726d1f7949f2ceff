import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Profile, ProfileVersion } from './profile';
import { UserNotFoundError } from './profile.errors';
import { type ProfileOverview, type ProfileReading, ProfileRepository } from './profile.repository';
import { UserBusyError } from '../user-lock/user-lock.errors';

/** Reads and changes profiles. */
@Injectable()
export class ProfileService {
  constructor(private readonly profiles: ProfileRepository) {}

  find(krn: string): Promise<Profile | null> {
    return this.profiles.find(krn);
  }

  /** @throws UserNotFoundError */
  async get(krn: string): Promise<Profile> {
    const profile = await this.find(krn);
    if (!profile) throw new UserNotFoundError();
    return profile;
  }

  /**
   * Locks the user's row until the transaction ends. A request that changes a user calls this method first in its transaction: if the
   * request has lost the user's lock, another request may have deleted the user.
   *
   * @throws UserBusyError when the user has been deleted
   */
  async lock(manager: EntityManager, krn: string): Promise<void> {
    if (!(await this.profiles.lock(manager, krn))) throw new UserBusyError();
  }

  /** Sets the version of a user's profile. */
  setVersion(manager: EntityManager, krn: string, version: ProfileVersion): Promise<void> {
    return this.profiles.updateVersion(manager, krn, version);
  }

  /** Returns the profile with further data of the user. @throws UserNotFoundError */
  async getWith<More extends object>(krn: string, reading: ProfileReading<More>): Promise<Profile & More> {
    const profile = await this.profiles.findWith(krn, reading);
    if (!profile) throw new UserNotFoundError();
    return profile;
  }

  /** @throws UserNotFoundError */
  async getOverview(krn: string): Promise<ProfileOverview> {
    const overview = await this.profiles.findOverview(krn);
    if (!overview) throw new UserNotFoundError();
    return overview;
  }
}
