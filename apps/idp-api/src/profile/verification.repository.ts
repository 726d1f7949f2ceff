import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import { type AttemptState, MAX_ATTEMPTS, UNVERIFIED, type VerificationState } from './verification.rules';

const FIND = `
  select attempts, wait_until as "waitUntil", extract(epoch from wait_until - clock_timestamp())::float8 as "waitSeconds",
         authenticated, last_attempt_at as "lastAttemptAt"
    from verification where krn = $1 and (forget_at is null or forget_at > now())`;

/**
 * Saves the state after an attempt. A stored result that is newer than the attempt is kept: between the vendor's answer to the attempt and
 * this save, the vendor may have reported a newer result by webhook. The counted attempts are always saved. $3: how long the wait lasts, s. $5: how
 * many seconds ago the attempt was made. These are durations, so that the stored times are by the database's clock, not by the replica's.
 */
const SAVE = `
  insert into verification as v (krn, attempts, wait_until, authenticated, last_attempt_at)
  values ($1, $2, clock_timestamp() + make_interval(secs => $3), $4, clock_timestamp() - make_interval(secs => $5))
  on conflict (krn) do update set attempts = excluded.attempts, wait_until = excluded.wait_until,
    authenticated = case when v.last_attempt_at > excluded.last_attempt_at then v.authenticated else excluded.authenticated end,
    last_attempt_at = greatest(v.last_attempt_at, excluded.last_attempt_at), forget_at = null`;

/**
 * Keeps the refusals of a locked user who deletes the profile, so that the delete does not end the lock. If the user is not locked, deletes
 * the refusals. A user without attempts left counts as locked whatever `wait_until` is.
 */
const KEEP_REFUSALS = `
  with gone as (delete from verification where krn = $1 and attempts < $2 and coalesce(wait_until, now()) <= now())
  update verification set authenticated = false,
    forget_at = least(case when attempts < $2 then wait_until end, now() + interval '30 days')
   where krn = $1 and not (attempts < $2 and coalesce(wait_until, now()) <= now())`;

/** Resets a user's refusals. The row of a user without a profile is kept for 30 days, so that the unlock can be repeated. */
const UNLOCK = `
  update verification set attempts = 0, wait_until = null,
    forget_at = case when not exists (select from profile where krn = $1) then now() + interval '30 days' end
   where krn = $1`;

/**
 * Saves the newest result that webhooks report about each user, if the stored result is not newer. Does not change the counted attempts.
 * `at` comes from the clock of webhook-ingest. If that clock is ahead of the database's clock, the database's time is stored, so that the
 * result does not prevent later reports from being saved.
 */
const SAVE_REPORTED = `
  insert into verification as v (krn, attempts, authenticated, last_attempt_at)
  select distinct on (krn) krn, 0, authenticated, least(at, clock_timestamp())
    from unnest($1::text[], $2::boolean[], $3::timestamptz[]) with ordinality as told (krn, authenticated, at, n)
   order by krn, at desc, n desc
  on conflict (krn) do update set authenticated = excluded.authenticated, last_attempt_at = excluded.last_attempt_at
   where excluded.last_attempt_at >= v.last_attempt_at`;

/**
 * Counts the users who wait, and the users without an attempt left. $1: the number of attempts that a user has. The table also contains
 * users who were refused and never returned. So that their rows are not read, the statement looks up the waiting users in the index, once
 * for each number of attempts. Each count stops at a million, far above the growth that the Prometheus alert on locked users looks for.
 */
const COUNT_LOCKED = `
  select (select count(*) from (
            select from verification where attempts > 0 and attempts = any (array(select generate_series(1, $1::int - 1)))
               and wait_until > now() limit 1000000) as counted)::integer as waiting,
         (select count(*) from (
            select from verification where attempts > 0 and attempts >= $1::int limit 1000000) as counted)::integer as maximum`;

/** What the vendor reported about a user's identity by a webhook. */
export interface ReportedVerification {
  readonly krn: string;
  readonly authenticated: boolean;
  readonly at: Date;
}

/** Stores the results of users' verifications. Only the holder of a user's lock writes the user's counted attempts. */
@Injectable()
export class VerificationRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async get(krn: string): Promise<VerificationState> {
    const [row] = await queryPrepared<VerificationState>(this.dataSource, 'verification-find', FIND, [krn]);
    return row ?? UNVERIFIED;
  }

  /** Saves the state after an attempt. A stored result that the vendor reported by webhook after the attempt is kept. */
  async save(manager: EntityManager, krn: string, state: AttemptState): Promise<void> {
    const { attempts, waitSeconds, authenticated, lastAttemptAt } = state;
    const secondsAgo = lastAttemptAt && Math.max(0, Date.now() - lastAttemptAt.getTime()) / 1000;
    await queryPrepared(runnerOf(manager), 'verification-save', SAVE, [
      krn,
      attempts,
      waitSeconds,
      authenticated,
      secondsAgo,
    ]);
  }

  /** Stores results that the vendor reported on its own. They do not change the count of attempts. */
  async saveReported(manager: EntityManager, results: readonly ReportedVerification[]): Promise<void> {
    await queryPrepared(runnerOf(manager), 'verification-save-reported', SAVE_REPORTED, [
      results.map(({ krn }) => krn),
      results.map(({ authenticated }) => authenticated),
      results.map(({ at }) => at),
    ]);
  }

  /** Counts the users who wait for their next attempt, and the users who have no attempt left, each up to a million. */
  async countLocked(): Promise<{ waiting: number; maximum: number }> {
    const [row] = await this.dataSource.query<[{ waiting: number; maximum: number }]>(COUNT_LOCKED, [MAX_ATTEMPTS]);
    return row;
  }

  /**
   * Keeps the row of a locked user whose profile is deleted. If no attempt is left, the row is kept for 30 days. Otherwise, it is kept until
   * the wait is over, but at most 30 days. If the user is not locked, deletes the row.
   */
  async keepRefusals(manager: EntityManager, krn: string): Promise<void> {
    await queryPrepared(runnerOf(manager), 'verification-keep-refusals', KEEP_REFUSALS, [krn, MAX_ATTEMPTS]);
  }

  /** Resets the counted refusals and ends the wait. */
  async unlock(manager: EntityManager, krn: string): Promise<void> {
    await queryPrepared(runnerOf(manager), 'verification-unlock', UNLOCK, [krn]);
  }

  async delete(manager: EntityManager, krn: string): Promise<void> {
    await manager.query('delete from verification where krn = $1', [krn]);
  }
}
