import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import type { ProfileVersion } from './profile';
import type { VerificationState } from './verification.rules';
import type { PersonalData, Profile } from './profile';
import { HASH_COLUMNS, type HashColumn, ProfileHashes, type StoredHashes } from './profile-hashes';
import { PERSONAL_COLUMNS, type PersonalColumn, ProfileCipher, type StoredPersonalData } from './profile-cipher';

/** A profile with the time of its creation. */
export interface DatedProfile extends Profile {
  readonly createdAt: Date;
}

/** A profile and the state of its verification. It contains no personal data, only which personal values are stored (`configured`). */
export interface ProfileOverview extends DatedProfile, VerificationState {
  readonly configured: Readonly<Record<PersonalColumn, boolean>>;
}

/** Further data to read in the statement that reads a profile. */
export interface ProfileReading<More extends object> {
  /** A part of the name of the prepared statement. Readings with the same name must have the same columns. */
  readonly name: string;
  /** SQL expressions that return JSON, by the name of their field. They refer to the profile's row as `p`. */
  readonly columns: Readonly<Record<keyof More & string, string>>;
}

const OF_PROFILE = 'p.krn, p.array_user_id as "arrayUserId", p.version';
const FIND = `select ${OF_PROFILE} from profile p where krn = $1`;
/** Locks the rows in the order of their KRNs, so that two batches cannot deadlock. */
const LOCK = `
  select ${OF_PROFILE}, p.created_at as "createdAt" from profile p
   where array_user_id = any ($1::uuid[]) order by krn for no key update`;
const STORED_COLUMNS = [...PERSONAL_COLUMNS, ...HASH_COLUMNS] as const;
/** Exported because the benchmark runs the same statement. */
export const FIND_OVERVIEW = `
  select ${OF_PROFILE}, p.created_at as "createdAt", coalesce(v.attempts, 0) as attempts, v.wait_until as "waitUntil",
         extract(epoch from v.wait_until - clock_timestamp())::float8 as "waitSeconds",
         coalesce(v.authenticated, false) as authenticated, v.last_attempt_at as "lastAttemptAt",
         json_build_object(${PERSONAL_COLUMNS.map((name) => `'${name}', p.${name} is not null`).join(', ')}) as configured
    from profile p left join verification v using (krn) where krn = $1`;

/** Stores profiles. Encrypts personal data before it is stored, and decrypts it when it is read. */
@Injectable()
export class ProfileRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly cipher: ProfileCipher,
    private readonly hashes: ProfileHashes,
  ) {}

  async find(krn: string): Promise<Profile | null> {
    const [row] = await queryPrepared<Profile>(this.dataSource, 'profile-find', FIND, [krn]);
    return row ?? null;
  }

  /**
   * Finds the users with the given keys at the vendor. Locks their rows, so that none of the users is deleted before the transaction ends.
   */
  async lockByArrayUserIds(manager: EntityManager, arrayUserIds: readonly string[]): Promise<DatedProfile[]> {
    return queryPrepared<DatedProfile>(runnerOf(manager), 'profiles-lock', LOCK, [arrayUserIds]);
  }

  /** Locks the user's row until the transaction ends. @returns false when the user has no row */
  async lock(manager: EntityManager, krn: string): Promise<boolean> {
    const text = 'select 1 from profile where krn = $1 for no key update';
    return (await queryPrepared(runnerOf(manager), 'profile-lock', text, [krn])).length > 0;
  }

  /** Reads the profile with further data of the user, with one statement. */
  async findWith<More extends object>(
    krn: string,
    { name, columns }: ProfileReading<More>,
  ): Promise<(Profile & More) | null> {
    const more = Object.entries<string>(columns).map(([column, sql]) => `${sql} as "${column}"`);
    const text = `select ${[OF_PROFILE, ...more].join(', ')} from profile p where p.krn = $1`;
    const [row] = await queryPrepared<Profile & More>(this.dataSource, `profile-with-${name}`, text, [krn]);
    return row ?? null;
  }

  async findOverview(krn: string): Promise<ProfileOverview | null> {
    const [row] = await queryPrepared<ProfileOverview>(this.dataSource, 'profile-overview', FIND_OVERVIEW, [krn]);
    return row ?? null;
  }

  /** Returns the users whose column has this hash, sorted by KRN, at most `limit` of them. */
  async findByHash(column: HashColumn, hash: string, limit: number): Promise<string[]> {
    const text = `select krn from profile where ${column} = $1 order by krn limit $2`;
    const rows = await queryPrepared<{ krn: string }>(this.dataSource, `profile-by-${column}`, text, [hash, limit]);
    return rows.map(({ krn }) => krn);
  }

  /** Returns which of the given users have a profile. */
  async filterExisting(krns: readonly string[]): Promise<Set<string>> {
    const text = 'select krn from profile where krn = any ($1::text[])';
    const rows = await queryPrepared<{ krn: string }>(this.dataSource, 'profiles-existing', text, [krns]);
    return new Set(rows.map(({ krn }) => krn));
  }

  async findPersonalData(krn: string): Promise<PersonalData | null> {
    const [row] = await queryPrepared<StoredPersonalData>(
      this.dataSource,
      'profile-personal-data',
      `select ${PERSONAL_COLUMNS.join(', ')} from profile where krn = $1`,
      [krn],
    );
    return row ? this.cipher.decrypt(krn, row) : null;
  }

  async insert(manager: EntityManager, { krn, arrayUserId, version }: Profile, data: PersonalData): Promise<void> {
    const stored = this.storedOf(krn, data);
    await manager.query(
      `insert into profile (krn, array_user_id, version, ${STORED_COLUMNS.join(', ')})
       values ($1, $2, $3, ${STORED_COLUMNS.map((_, index) => `$${index + 4}`).join(', ')})`,
      [krn, arrayUserId, version, ...STORED_COLUMNS.map((column) => stored[column])],
    );
  }

  async updatePersonalData(manager: EntityManager, krn: string, data: PersonalData): Promise<void> {
    const stored = this.storedOf(krn, data);
    const changes = STORED_COLUMNS.map((column, index) => `${column} = $${index + 2}`).join(', ');
    await manager.query(`update profile set ${changes}, updated_at = now() where krn = $1`, [
      krn,
      ...STORED_COLUMNS.map((column) => stored[column]),
    ]);
  }

  async updateVersion(manager: EntityManager, krn: string, version: ProfileVersion): Promise<void> {
    await manager.query('update profile set version = $2, updated_at = now() where krn = $1', [krn, version]);
  }

  /** Deletes the user's row, and with it the rows of other tables that reference the profile. */
  async delete(manager: EntityManager, krn: string): Promise<void> {
    await queryPrepared(runnerOf(manager), 'profile-delete', 'delete from profile where krn = $1', [krn]);
  }

  private storedOf(krn: string, data: PersonalData): StoredPersonalData & StoredHashes {
    return { ...this.cipher.encrypt(krn, data), ...this.hashes.of(data) };
  }
}
