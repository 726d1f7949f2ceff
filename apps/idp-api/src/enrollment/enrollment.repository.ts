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
  /** When it was asked for last. */
  readonly wantedAt: Date;
  /** When the vendor told of it last, by a webhook; null when it never did. */
  readonly vendorSaidAt: Date | null;
}

/** An enrollment with its user. */
export interface UserEnrollment extends Enrollment {
  readonly krn: string;
}

/** When a code became active or inactive. */
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

/** What the reconciliation saw of a code at the vendor. */
export type ActualEnrollment = Pick<Enrollment, 'code' | 'active' | 'vendorSaidAt'>;

const ROW = `
  code, wanted, active, reason, activated_at as "activatedAt", created_at as "createdAt", updated_at as "updatedAt",
  wanted_at as "wantedAt", vendor_said_at as "vendorSaidAt"`;

const FIND = `select ${ROW} from enrollment where krn = $1 order by created_at, code`;

const FIND_OF_USERS = `select krn, ${ROW} from enrollment where krn = any ($1::text[])`;

const FIND_HISTORY = `select code, status, reason, at from enrollment_status where krn = $1 order by seq`;

/** Whoever writes enrollments has the user's row first: the batches of events, which hold no user lock, never wait in a circle. */
const LOCKED = 'locked as materialized (select krn from profile where krn = $1 for no key update)';

const SAVE_WANTED = `
  with ${LOCKED}
  insert into enrollment as e (krn, code, wanted, reason)
  select krn, given.* from locked, unnest($2::text[], $3::boolean[], $4::text[]) as given
  on conflict (krn, code) do update set wanted = excluded.wanted, reason = excluded.reason, updated_at = now(),
    wanted_at = case when excluded.wanted then now() else e.wanted_at end`;

/** In the order of the KRNs, as every batch locks users. */
const ASK = `
  with locked as materialized (
    select krn from profile where krn = any ($1::text[]) order by krn for no key update)
  update enrollment e set wanted_at = greatest(e.wanted_at, asked.at)
    from locked join (select krn, max(at) as at from unnest($1::text[], $2::timestamptz[]) as given (krn, at) group by krn) asked
         using (krn)
   where e.krn = locked.krn`;

/** What the vendor told of since the reconciliation asked it stays: a later run sees both. */
const SAVE_ACTIVE = `
  with ${LOCKED}, changed as (
    update enrollment e set active = given.active, activated_at = case when given.active then $5::timestamptz end, updated_at = now()
      from locked, unnest($2::text[], $3::boolean[], $4::timestamptz[]) as given (code, active, vendor_said_at)
     where e.krn = locked.krn and e.code = given.code and e.active <> given.active
       and e.vendor_said_at is not distinct from given.vendor_said_at
    returning e.krn, e.code, e.active, e.reason),
  noted as (
    insert into enrollment_status (krn, code, status, reason, at)
    select krn, code, case when active then 'active' else 'inactive' end, reason, $5 from changed)
  select code, active, reason from changed order by code`;

const SAVE_TOLD = `
  update enrollment e set wanted = told.wanted, active = told.active, reason = told.reason,
         activated_at = told."activatedAt", vendor_said_at = told."vendorSaidAt", updated_at = now()
    from jsonb_to_recordset($1::jsonb) as told (krn text, code text, wanted boolean, active boolean, reason text,
         "activatedAt" timestamptz, "vendorSaidAt" timestamptz)
   where e.krn = told.krn and e.code = told.code`;

const ADD_STATUSES = `
  insert into enrollment_status (krn, code, status, reason, at)
  select krn, code, case when active then 'active' else 'inactive' end, reason, at
    from jsonb_to_recordset($1::jsonb) as given (krn text, code text, active boolean, reason text, at timestamptz)`;

/** When a user asked for its enrollments. */
export interface EnrollmentRequest {
  readonly krn: string;
  readonly at: Date;
}

/** An enrollment that became active or inactive by a webhook of the vendor. */
export interface ToldChange extends Pick<UserEnrollment, 'krn' | 'code' | 'active' | 'reason'> {
  readonly at: Date;
}

/**
 * What users are to be enrolled in, and what they are. Written by whoever has the user's lock, and by what the vendor tells; each
 * of them takes the user's row first.
 */
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

  /** Of several users; whoever calls it has their rows. */
  findOfUsers(manager: EntityManager, krns: readonly string[]): Promise<UserEnrollment[]> {
    return queryPrepared(runnerOf(manager), 'enrollments-find-of-users', FIND_OF_USERS, [krns]);
  }

  async saveWanted(manager: EntityManager, krn: string, changes: readonly WantedChange[]): Promise<void> {
    await queryPrepared(runnerOf(manager), 'enrollments-save-wanted', SAVE_WANTED, [
      krn,
      changes.map(({ code }) => code),
      changes.map(({ wanted }) => wanted),
      changes.map(({ reason }) => reason),
    ]);
  }

  /** Keeps when users asked for their enrollments: what the vendor had ended before is wanted again. */
  async ask(manager: EntityManager, requests: readonly EnrollmentRequest[]): Promise<void> {
    const values = [requests.map(({ krn }) => krn), requests.map(({ at }) => at)];
    await queryPrepared(runnerOf(manager), 'enrollments-ask', ASK, values);
  }

  /** Keeps what is so at the vendor, with its history. @returns what changed by that */
  saveActive(
    manager: EntityManager,
    krn: string,
    actual: readonly ActualEnrollment[],
    at: Date,
  ): Promise<Pick<Enrollment, 'code' | 'active' | 'reason'>[]> {
    const values = [
      krn,
      actual.map(({ code }) => code),
      actual.map(({ active }) => active),
      actual.map(({ vendorSaidAt }) => vendorSaidAt),
      at,
    ];
    return queryPrepared(runnerOf(manager), 'enrollments-save-active', SAVE_ACTIVE, values);
  }

  /** Keeps what the vendor told, with its history. Whoever calls it has the users' rows. */
  async saveTold(
    manager: EntityManager,
    enrollments: readonly UserEnrollment[],
    changes: readonly ToldChange[],
  ): Promise<void> {
    await queryPrepared(runnerOf(manager), 'enrollments-save-told', SAVE_TOLD, [JSON.stringify(enrollments)]);
    if (changes.length === 0) return;
    await queryPrepared(runnerOf(manager), 'enrollments-add-statuses', ADD_STATUSES, [JSON.stringify(changes)]);
  }
}
