import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';

/** A user whom the vendor may know otherwise than we do. */
export interface Reconciliation {
  readonly krn: string;
  /** Grows with each request: the end of a run must not swallow one that came during it. */
  readonly requested: string;
  /** Runs that failed in a row. */
  readonly failures: number;
  /** Whether the vendor may have other personal data than we have. */
  readonly personalData: boolean;
}

/** What was known of calls that the vendor may still act on, before another one was made. */
export interface WritesBefore {
  readonly lateWriteUntil: Date | null;
  readonly personalData: boolean;
}

/** Where a user stands in the queue. */
export interface QueuedReconciliation extends Reconciliation {
  readonly dueAt: Date;
  /** Of the last run that failed; null when none did since it was requested. */
  readonly lastError: string | null;
}

const ROW = 'krn, requested, failures, personal_data as "personalData"';

const REQUEST = `
  insert into reconciliation as r (krn, due_at, personal_data) values ($1, now(), $2)
  on conflict (krn) do update set due_at = now(), requested = r.requested + 1, failures = 0, last_error = null,
    personal_data = r.personal_data or excluded.personal_data`;

/** Of users without a profile there is nothing to bring in line. In the order of their KRNs: two batches never wait for each other. */
const REQUEST_KNOWN = `
  insert into reconciliation as r (krn, due_at)
  select krn, now() from profile where krn = any ($1::text[]) order by krn
  on conflict (krn) do update set due_at = now(), requested = r.requested + 1, failures = 0, last_error = null`;

const FIND = `
  select ${ROW}, due_at as "dueAt", last_error as "lastError" from reconciliation where krn = $1`;

const CLAIM = `
  update reconciliation set due_at = now() + make_interval(secs => $2)
   where krn in (select krn from reconciliation where due_at <= now() order by due_at for update skip locked limit $1)
  returning ${ROW}`;

/** A user whose data the vendor may still change by a call that was given up is brought in line once more after that. */
const FINISH = `
  with removed as (
    delete from reconciliation
     where krn = $1 and requested = $2 and $3::timestamptz is null and coalesce(late_write_until <= now(), true))
  update reconciliation
     set due_at = least($3, case when late_write_until > now() then late_write_until end),
         failures = 0, last_error = null, personal_data = coalesce(late_write_until > now(), false)
   where krn = $1 and requested = $2 and ($3::timestamptz is not null or late_write_until > now())`;

/** The inner select sees the row as it was before. */
const NOTE_WRITE = `
  update reconciliation r set late_write_until = greatest(r.late_write_until, now() + make_interval(secs => $2)), personal_data = true
    from (select late_write_until, personal_data from reconciliation where krn = $1) before
   where r.krn = $1
  returning before.late_write_until as "lateWriteUntil", before.personal_data as "personalData"`;

const FORGET_WRITE = `update reconciliation set late_write_until = $2, personal_data = $3 where krn = $1`;

const POSTPONE = `
  update reconciliation set due_at = now() + make_interval(secs => $3), failures = failures + $4,
    last_error = coalesce($5, last_error)
   where krn = $1 and requested = $2`;

const MEASURE = `
  select (select count(*) from (select from reconciliation where failures > 0 limit 100000) as counted)::integer as failing,
         coalesce(greatest(extract(epoch from now() - (select min(due_at) from reconciliation)), 0), 0)::float8
           as "overdueSeconds"`;

/** The queue of users to bring in line with the vendor: a row each, due at a time. */
@Injectable()
export class ReconciliationRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Has a user brought in line as soon as its lock is free, once the transaction is committed. */
  async request(manager: EntityManager, krn: string, { personalData = false } = {}): Promise<void> {
    await queryPrepared(runnerOf(manager), 'reconciliation-request', REQUEST, [krn, personalData]);
  }

  /** The same for those of several users who have a profile. */
  async requestKnown(manager: EntityManager, krns: Iterable<string>): Promise<void> {
    await queryPrepared(runnerOf(manager), 'reconciliation-request-known', REQUEST_KNOWN, [[...krns]]);
  }

  async find(krn: string): Promise<QueuedReconciliation | null> {
    const [row] = await queryPrepared<QueuedReconciliation>(this.dataSource, 'reconciliation-find', FIND, [krn]);
    return row ?? null;
  }

  /** How many users the last try failed for (counted up to 100,000), and for how long the first one has been due. */
  async measure(): Promise<{ failing: number; overdueSeconds: number }> {
    const [row] = await this.dataSource.query<[{ failing: number; overdueSeconds: number }]>(MEASURE);
    return row;
  }

  /** Takes users that are due, for as long as the lease lasts; replicas take others. */
  claim(limit: number, leaseSeconds: number): Promise<Reconciliation[]> {
    return queryPrepared(this.dataSource, 'reconciliation-claim', CLAIM, [limit, leaseSeconds]);
  }

  /** The user is in line, unless something was requested since. @param nextAt when it changes by itself; null for never */
  async finish(manager: EntityManager, { krn, requested }: Reconciliation, nextAt: Date | null): Promise<void> {
    await queryPrepared(runnerOf(manager), 'reconciliation-finish', FINISH, [krn, requested, nextAt]);
  }

  /**
   * Notes that a call is going to change a queued user at the vendor, who may act on it for so many seconds, whatever becomes of the
   * call or of this process.
   *
   * @returns what was noted before, for `forgetWrite`; null for a user who is not queued
   */
  async noteWrite(krn: string, seconds: number): Promise<WritesBefore | null> {
    const values = [krn, seconds];
    const [before] = await queryPrepared<WritesBefore>(
      this.dataSource,
      'reconciliation-note-write',
      NOTE_WRITE,
      values,
    );
    return before ?? null;
  }

  /** The call has ended, and the vendor does nothing more because of it. */
  async forgetWrite(krn: string, { lateWriteUntil, personalData }: WritesBefore): Promise<void> {
    const values = [krn, lateWriteUntil, personalData];
    await queryPrepared(this.dataSource, 'reconciliation-forget-write', FORGET_WRITE, values);
  }

  /** Tries again after a while, or earlier when something is requested. @param error why it failed; null when it did not even run */
  async postpone({ krn, requested }: Reconciliation, seconds: number, error: string | null): Promise<void> {
    const failures = error === null ? 0 : 1;
    const values = [krn, requested, seconds, failures, error];
    await queryPrepared(this.dataSource, 'reconciliation-postpone', POSTPONE, values);
  }
}
