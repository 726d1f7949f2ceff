import { Injectable } from '@nestjs/common';
import type { EnrollmentReason } from '@tandem/contracts';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import type { EnrollmentCode } from './enrollment-code.rules';

/** A code that a user was ever to be enrolled in. */
export interface Enrollment {
  readonly code: EnrollmentCode;
  /** Whether the user is to be enrolled. */
  readonly wanted: boolean;
  /** Whether it is so at the vendor, as far as we know. */
  readonly active: boolean;
  /** Why it is wanted, or not. */
  readonly reason: EnrollmentReason;
  /** When it became active last; null when it is not active. */
  readonly activatedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** When a code became active, or ended to be so. */
export interface EnrollmentStatus {
  readonly code: EnrollmentCode;
  readonly status: 'active' | 'inactive';
  readonly reason: EnrollmentReason;
  readonly at: Date;
}

/** What a code is to be from now on. */
export interface WantedChange {
  readonly code: EnrollmentCode;
  readonly wanted: boolean;
  readonly reason: EnrollmentReason;
}

const FIND = `
  select code, wanted, active, reason, activated_at as "activatedAt", created_at as "createdAt", updated_at as "updatedAt"
    from enrollment where krn = $1 order by created_at, code`;

const FIND_HISTORY = `select code, status, reason, at from enrollment_status where krn = $1 order by seq`;

const SAVE_WANTED = `
  insert into enrollment (krn, code, wanted, reason)
  select $1, * from unnest($2::text[], $3::boolean[], $4::text[])
  on conflict (krn, code) do update set wanted = excluded.wanted, reason = excluded.reason, updated_at = now()`;

const SAVE_ACTIVE = `
  with changed as (
    update enrollment e set active = given.active, activated_at = case when given.active then $4::timestamptz end, updated_at = now()
      from unnest($2::text[], $3::boolean[]) as given (code, active)
     where e.krn = $1 and e.code = given.code and e.active <> given.active
    returning e.krn, e.code, e.active, e.reason),
  noted as (
    insert into enrollment_status (krn, code, status, reason, at)
    select krn, code, case when active then 'active' else 'inactive' end, reason, $4 from changed)
  select code, active, reason from changed order by code`;

/** What users are to be enrolled in, and what they are. Written by whoever has the user's lock. */
@Injectable()
export class EnrollmentRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Those that were wanted first come first. */
  findAll(krn: string): Promise<Enrollment[]> {
    return queryPrepared(this.dataSource, 'enrollments-find', FIND, [krn]);
  }

  /** What became of them, oldest first. */
  findHistory(krn: string): Promise<EnrollmentStatus[]> {
    return queryPrepared(this.dataSource, 'enrollments-find-history', FIND_HISTORY, [krn]);
  }

  async saveWanted(manager: EntityManager, krn: string, changes: readonly WantedChange[]): Promise<void> {
    await queryPrepared(runnerOf(manager), 'enrollments-save-wanted', SAVE_WANTED, [
      krn,
      changes.map(({ code }) => code),
      changes.map(({ wanted }) => wanted),
      changes.map(({ reason }) => reason),
    ]);
  }

  /** Keeps what is so at the vendor, with its history. @returns what changed by that */
  saveActive(
    manager: EntityManager,
    krn: string,
    actual: ReadonlyMap<EnrollmentCode, boolean>,
    at: Date,
  ): Promise<Pick<Enrollment, 'code' | 'active' | 'reason'>[]> {
    const values = [krn, [...actual.keys()], [...actual.values()], at];
    return queryPrepared(runnerOf(manager), 'enrollments-save-active', SAVE_ACTIVE, values);
  }
}
