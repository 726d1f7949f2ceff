import { Injectable } from '@nestjs/common';
import type { EnrollmentReason } from '@tandem/contracts';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import type { EnrollmentCode } from '../array/enrollment-codes';

/** The state of a code in which the user should be enrolled, or should have been enrolled at an earlier time. */
export interface Enrollment {
  readonly code: EnrollmentCode;
  /** Whether the user should be enrolled. */
  readonly wanted: boolean;
  /** Whether the user is enrolled at the vendor, as of the last call or read. */
  readonly active: boolean;
  /** Why the enrollment is wanted or not. */
  readonly reason: EnrollmentReason;
  /** When the enrollment last became active; null when it is not active. */
  readonly activatedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An entry of a user's status history: a code became active or inactive. */
export interface EnrollmentStatus {
  readonly code: EnrollmentCode;
  readonly status: 'active' | 'inactive';
  readonly reason: EnrollmentReason;
  readonly at: Date;
}

/** The new state of a code. */
export interface EnrollmentChange extends Pick<Enrollment, 'code' | 'wanted' | 'active' | 'reason'> {
  readonly wasActive: boolean;
}

/**
 * Selects the reason of a row. Exception: if the code was requested after the vendor reported its end (`wanted_at` is later than
 * `vendor_said_at`), the code does not count as ended by the vendor, so `enrolled` is selected instead of `vendor`. Only an older release of
 * the app can have written such a row.
 */
const REASON = `case when not wanted and reason = 'vendor' and vendor_said_at < wanted_at then 'enrolled' else reason end`;

const FIND = `
  select code, wanted, active, ${REASON} as reason, activated_at as "activatedAt", created_at as "createdAt",
         updated_at as "updatedAt"
    from enrollment where krn = $1 order by created_at, code`;

const FIND_HISTORY = `select code, status, reason, at from enrollment_status where krn = $1 order by seq`;

/**
 * Saves the new state of codes. Sets `vendor_said_at` of a code with the reason `vendor` to the current time or later: {@link REASON},
 * and older releases of the app after a rollback, then count the code as ended by the vendor.
 */
const SAVE = `
  with given as (
    select * from jsonb_to_recordset($2::jsonb) as given (code text, wanted boolean, active boolean, reason text, "wasActive" boolean)),
  saved as (
    insert into enrollment as e (krn, code, wanted, active, reason, activated_at)
    select $1, code, wanted, active, reason, case when active then $3::timestamptz end from given
    on conflict (krn, code) do update set wanted = excluded.wanted, active = excluded.active, reason = excluded.reason,
      activated_at = case when e.active and excluded.active then e.activated_at else excluded.activated_at end,
      vendor_said_at = case when excluded.reason = 'vendor' then greatest(now(), e.wanted_at) else e.vendor_said_at end,
      updated_at = now()
    returning e.code)
  insert into enrollment_status (krn, code, status, reason, at)
  select $1, code, case when active then 'active' else 'inactive' end, reason, $3::timestamptz
    from given join saved using (code) where active <> "wasActive" order by code`;

/** Stores which enrollments of users are wanted, and which are active. Only the reconciler writes these rows. */
@Injectable()
export class EnrollmentRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns a user's enrollments, in the order in which they were first wanted. @param manager the transaction in which to read */
  findAll(krn: string, manager?: EntityManager): Promise<Enrollment[]> {
    return queryPrepared(manager ? runnerOf(manager) : this.dataSource, 'enrollments-find', FIND, [krn]);
  }

  /** Returns the status history of a user's codes, oldest first. */
  findHistory(krn: string): Promise<EnrollmentStatus[]> {
    return queryPrepared(this.dataSource, 'enrollments-find-history', FIND_HISTORY, [krn]);
  }

  /** Saves the new state of a user's codes, and adds the changes of `active` to the history. */
  async save(manager: EntityManager, krn: string, changes: readonly EnrollmentChange[], at: Date): Promise<void> {
    if (changes.length === 0) return;
    const values = [krn, JSON.stringify(changes), at];
    await queryPrepared(runnerOf(manager), 'enrollments-save', SAVE, values);
  }
}
