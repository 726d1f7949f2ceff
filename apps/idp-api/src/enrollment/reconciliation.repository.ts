import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import { IdpApiConfig } from '../config';
import type { Ask, Hint } from './enrollment.rules';

/** The right to change one user at the vendor, and to save what came of it, until the user is claimed again. */
export interface Claim {
  readonly krn: string;
  /** The fencing number: each claim adds 1. */
  readonly claimed: string;
  /** Each request adds 1: the end of a run does not swallow one that came during it. */
  readonly requested: string;
  /** Runs that failed in a row. */
  readonly failures: number;
  /** Whether the vendor may have other personal data than we have. */
  readonly personalData: boolean;
  /** Until when the vendor may still act on an earlier call. */
  readonly lateWriteUntil: Date | null;
  readonly asked: Ask | null;
  /** Codes that the vendor reported as ended. */
  readonly endedCodes: readonly string[];
  /** When the vendor's state is to be read once more; null when it was not found changed. */
  readonly lookAt: Date | null;
}

/** A claim that was made before the vendor is written. */
export interface WriteClaim extends Pick<Claim, 'krn' | 'claimed' | 'requested' | 'lateWriteUntil'> {
  /** Whether the user was queued before: something else is left to do for it. */
  readonly existed: boolean;
  /** Before the claim. */
  readonly personalData: boolean;
}

/** Where a user stands in the queue. */
export interface QueuedReconciliation extends Pick<Claim, 'failures' | 'personalData'> {
  readonly dueAt: Date;
  /** Of the last run that failed; null when none did since it was requested. */
  readonly lastError: string | null;
}

/** Why a user is to be reconciled. */
export interface Request {
  readonly personalData?: boolean;
  readonly asked?: Ask;
}

const CLAIM_ROW = `
  krn, claimed, requested, failures, personal_data as "personalData", late_write_until as "lateWriteUntil", asked,
  ended_codes as "endedCodes", look_at as "lookAt"`;

/** An explicit ask names the reason of what becomes wanted; a sync names none, and never replaces it. */
const MERGE_REQUEST = `
  due_at = now(), requested = r.requested + 1, failures = 0, last_error = null,
  personal_data = r.personal_data or excluded.personal_data,
  asked = case when coalesce(excluded.asked, 'sync') = 'sync' then coalesce(r.asked, excluded.asked) else excluded.asked end`;

const REQUEST = `
  insert into reconciliation as r (krn, due_at, personal_data, asked) values ($1, now(), $2, $3)
  on conflict (krn) do update set ${MERGE_REQUEST}`;

/** Users without a profile have nothing to reconcile. In the order of their KRNs: two batches never wait for each other. */
const REQUEST_KNOWN = `
  insert into reconciliation as r (krn, due_at, asked)
  select krn, now(), given.asked
    from profile join unnest($1::text[], $2::text[]) as given (krn, asked) using (krn) order by krn
  on conflict (krn) do update set ${MERGE_REQUEST}`;

/** In the order of the KRNs, as above. */
const HINT = `
  insert into reconciliation as r (krn, due_at, look_at, ended_codes)
  select krn, now(), now() + make_interval(secs => $2), ended
    from jsonb_to_recordset($1::jsonb) as hint (krn text, ended text[]) order by krn
  on conflict (krn) do update set due_at = now(), requested = r.requested + 1, failures = 0, last_error = null,
    look_at = excluded.look_at, ended_codes = array(select distinct unnest(r.ended_codes || excluded.ended_codes))`;

const FIND = `
  select failures, personal_data as "personalData", due_at as "dueAt", last_error as "lastError"
    from reconciliation where krn = $1`;

/** Not a claim yet: only the holder of the user's lock claims it. */
const TAKE_DUE = `
  update reconciliation set due_at = now() + make_interval(secs => $2)
   where krn in (select krn from reconciliation where due_at <= now() order by due_at for update skip locked limit $1)
  returning krn`;

const CLAIM_ONE = `
  update reconciliation set due_at = now() + make_interval(secs => $2), claimed = claimed + 1
   where krn = $1
  returning ${CLAIM_ROW}`;

/** The inner select sees the row as it was before. A row that was inserted has no \`xmax\`. */
const CLAIM_FOR_WRITE = `
  with before as (select late_write_until, personal_data from reconciliation where krn = $1)
  insert into reconciliation as r (krn, due_at, personal_data, late_write_until)
  values ($1, now() + make_interval(secs => $2), true, now() + make_interval(secs => $3))
  on conflict (krn) do update set due_at = excluded.due_at, claimed = r.claimed + 1, personal_data = true,
    late_write_until = greatest(r.late_write_until, excluded.late_write_until)
  returning krn, claimed, requested, xmax <> 0 as existed, (select late_write_until from before) as "lateWriteUntil",
    coalesce((select personal_data from before), false) as "personalData"`;

/** What the claim noted is taken back; what else the user was queued for, or is asked for now, is left. */
const SETTLE = `
  with mine as (
    select krn, $5::boolean or requested <> $2 or $7::text is not null as is_needed
      from reconciliation where krn = $1 and claimed = $6 for update),
  removed as (delete from reconciliation r using mine where r.krn = mine.krn and not is_needed),
  kept as (
    update reconciliation r set due_at = now(), requested = r.requested + 1, failures = 0, last_error = null,
           late_write_until = $3, personal_data = $4, asked = coalesce($7, r.asked)
      from mine where r.krn = mine.krn and is_needed)
  select krn from mine`;

const RELEASE = `
  update reconciliation set due_at = now(), late_write_until = case when $3::boolean then $4::timestamptz else late_write_until end
   where krn = $1 and claimed = $2`;

const NOTE_WRITE = `
  update reconciliation
     set late_write_until = greatest(late_write_until, now() + make_interval(secs => $3)), personal_data = true
   where krn = $1 and claimed = $2
  returning krn`;

const FORGET_WRITE =
  'update reconciliation set late_write_until = $3, personal_data = $4 where krn = $1 and claimed = $2';

/** $3: as $5 of FINISH. */
const HOLD = `
  update reconciliation set look_at = case when $3::boolean then now() + make_interval(secs => $4) else look_at end
   where krn = $1 and claimed = $2
  returning krn`;

/**
 * $4: when the user changes by itself. $5: whether the vendor's state was found changed: it is read once more when all replicas of the
 * vendor show it. A user whose data the vendor may still change by an earlier call is reconciled once more after that. What was requested
 * since the claim stays due.
 */
const FINISH = `
  with mine as (
    select krn, requested = $2 as is_last, case when late_write_until > now() then late_write_until end as late,
           case when $5::boolean then now() + make_interval(secs => $6) when look_at > now() then look_at end as look
      from reconciliation where krn = $1 and claimed = $3 for update),
  next as (select *, least($4::timestamptz, late, look) as due from mine),
  removed as (delete from reconciliation r using next where r.krn = next.krn and is_last and due is null),
  kept as (
    update reconciliation r
       set due_at = case when is_last then due else r.due_at end, failures = 0, last_error = null, look_at = look,
           asked = case when not is_last then r.asked end,
           personal_data = case when is_last then late is not null else r.personal_data end,
           ended_codes = case when is_last and (look is null or r.asked is not null) then '{}' else r.ended_codes end
      from next where r.krn = next.krn and not (is_last and due is null))
  select krn from mine`;

const POSTPONE = `
  update reconciliation set due_at = now() + make_interval(secs => $4), failures = failures + $5,
    last_error = coalesce($6, last_error)
   where krn = $1 and requested = $2 and claimed = $3`;

const DELAY = 'update reconciliation set due_at = now() + make_interval(secs => $2) where krn = $1';

const MEASURE = `
  select (select count(*) from (select from reconciliation where failures > 0 limit 100000) as counted)::integer as failing,
         coalesce(greatest(extract(epoch from now() - (select min(due_at) from reconciliation)), 0), 0)::float8
           as "overdueSeconds"`;

/** The user was claimed again, or deleted: what an earlier claim found out is not saved. */
export class SupersededError extends Error {
  constructor() {
    super('the user was claimed again');
  }
}

/** The queue of users to reconcile with the vendor: a row each, due at a time. */
@Injectable()
export class ReconciliationRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: IdpApiConfig,
  ) {}

  /** Requests a run as soon as the user's lock is free, once the transaction is committed. */
  async request(manager: EntityManager, krn: string, { personalData = false, asked }: Request = {}): Promise<void> {
    const values = [krn, personalData, asked ?? null];
    await queryPrepared(runnerOf(manager), 'reconciliation-request', REQUEST, values);
  }

  /** The same for those of several users who have a profile. @param asks by KRN; null: nobody asked for anything */
  async requestKnown(manager: EntityManager, asks: ReadonlyMap<string, Ask | null>): Promise<void> {
    const values = [[...asks.keys()], [...asks.values()]];
    await queryPrepared(runnerOf(manager), 'reconciliation-request-known', REQUEST_KNOWN, values);
  }

  /** The vendor's state of users is read now, and once more when all its replicas show it. The caller holds the users' rows. */
  async hint(manager: EntityManager, hints: readonly Hint[]): Promise<void> {
    const values = [JSON.stringify(hints), this.config.VENDOR_REPLICATION_SECONDS];
    await queryPrepared(runnerOf(manager), 'reconciliation-hint', HINT, values);
  }

  async find(krn: string): Promise<QueuedReconciliation | null> {
    const [row] = await queryPrepared<QueuedReconciliation>(this.dataSource, 'reconciliation-find', FIND, [krn]);
    return row ?? null;
  }

  /** How many users the last run failed for (counted up to 100,000), and for how long the first one has been due. */
  async measure(): Promise<{ failing: number; overdueSeconds: number }> {
    const [row] = await this.dataSource.query<[{ failing: number; overdueSeconds: number }]>(MEASURE);
    return row;
  }

  /** Users that are due; other replicas take others. One that is not claimed is due again when its lease ends. */
  async takeDue(limit: number): Promise<string[]> {
    const values = [limit, this.leaseSeconds];
    const due = await queryPrepared<{ krn: string }>(this.dataSource, 'reconciliation-take-due', TAKE_DUE, values);
    return due.map(({ krn }) => krn);
  }

  /** Has a user that was taken due again after a while. */
  async delay(krn: string, seconds: number): Promise<void> {
    await queryPrepared(this.dataSource, 'reconciliation-delay', DELAY, [krn, seconds]);
  }

  /** Claims a user, whenever it is due; null when it is not queued. The caller holds the user's lock. */
  async claim(krn: string): Promise<Claim | null> {
    const values = [krn, this.leaseSeconds];
    const [claim] = await queryPrepared<Claim>(this.dataSource, 'reconciliation-claim-one', CLAIM_ONE, values);
    return claim ?? null;
  }

  /**
   * Claims a user before its data is written at the vendor, and notes that the vendor may have other data than we have, now and
   * for as long as it may act on a call that failed or whose process was killed.
   */
  async claimForWrite(krn: string): Promise<WriteClaim> {
    const values = [krn, this.leaseSeconds, this.config.VENDOR_LATE_WRITE_SECONDS];
    const name = 'reconciliation-claim-for-write';
    const [claim] = await queryPrepared<WriteClaim>(this.dataSource, name, CLAIM_FOR_WRITE, values);
    return claim as WriteClaim;
  }

  /**
   * Ends a claim for a write: the vendor has the data that the transaction commits. When somebody else has claimed the user since, the
   * vendor may have other data: the user is requested again.
   */
  async settle(manager: EntityManager, claim: WriteClaim, asked?: Ask): Promise<void> {
    const { krn, claimed, requested, lateWriteUntil, personalData, existed } = claim;
    const values = [krn, requested, lateWriteUntil, personalData, existed, claimed, asked ?? null];
    const [settled] = await queryPrepared(runnerOf(manager), 'reconciliation-settle', SETTLE, values);
    if (!settled) await this.request(manager, krn, { personalData: true, asked });
  }

  /** Ends a claim for a write that failed: the user is due at once. @param isOver whether the vendor does nothing more because of it */
  async release({ krn, claimed, lateWriteUntil }: WriteClaim, isOver: boolean): Promise<void> {
    const values = [krn, claimed, isOver, lateWriteUntil];
    await queryPrepared(this.dataSource, 'reconciliation-release', RELEASE, values);
  }

  /** Notes that calls are going to change a claimed user at the vendor, see {@link claimForWrite}. @throws SupersededError */
  async noteWrite({ krn, claimed }: Claim): Promise<void> {
    const values = [krn, claimed, this.config.VENDOR_LATE_WRITE_SECONDS];
    const [noted] = await queryPrepared(this.dataSource, 'reconciliation-note-write', NOTE_WRITE, values);
    if (!noted) throw new SupersededError();
  }

  /** The calls have ended, and the vendor does nothing more because of them. */
  async forgetWrite({ krn, claimed, lateWriteUntil, personalData }: Claim): Promise<void> {
    const values = [krn, claimed, lateWriteUntil, personalData];
    await queryPrepared(this.dataSource, 'reconciliation-forget-write', FORGET_WRITE, values);
  }

  /** Keeps others from claiming the user until the transaction of a run that failed ends. @param lookAgain as of `finish` @throws SupersededError */
  async hold(manager: EntityManager, { krn, claimed }: Claim, lookAgain: boolean): Promise<void> {
    const values = [krn, claimed, lookAgain, this.config.VENDOR_REPLICATION_SECONDS];
    const [held] = await queryPrepared(runnerOf(manager), 'reconciliation-hold', HOLD, values);
    if (!held) throw new SupersededError();
  }

  /**
   * Ends a run that reconciled the user; what was requested since stays due.
   *
   * @param nextAt when the user changes by itself; null for never
   * @param lookAgain whether the vendor's state was found changed
   * @throws SupersededError
   */
  async finish(manager: EntityManager, claim: Claim, nextAt: Date | null, lookAgain = false): Promise<void> {
    const { krn, requested, claimed } = claim;
    const values = [krn, requested, claimed, nextAt, lookAgain, this.config.VENDOR_REPLICATION_SECONDS];
    const [finished] = await queryPrepared(runnerOf(manager), 'reconciliation-finish', FINISH, values);
    if (!finished) throw new SupersededError();
  }

  /** Has a failed run repeated after a while, or earlier when something is requested. @param error why; null when the vendor was not asked */
  async postpone({ krn, requested, claimed }: Claim, seconds: number, error: string | null): Promise<void> {
    const failures = error === null ? 0 : 1;
    const values = [krn, requested, claimed, seconds, failures, error];
    await queryPrepared(this.dataSource, 'reconciliation-postpone', POSTPONE, values);
  }

  /** Longer than any claim is worked on. */
  private get leaseSeconds(): number {
    return this.config.VENDOR_TIMEOUT_MS / 1000 + 5;
  }
}
