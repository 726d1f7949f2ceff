import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import { IdpApiConfig } from '../config';
import type { Ask, Hint } from './enrollment.rules';
import {
  REQUEST,
  REQUEST_KNOWN,
  HINT,
  FIND,
  TAKE_DUE,
  CLAIM_ONE,
  CLAIM_FOR_WRITE,
  SETTLE,
  RELEASE,
  NOTE_WRITE,
  FORGET_WRITE,
  HOLD,
  FINISH,
  POSTPONE,
  DELAY,
  MEASURE,
} from './reconciliation.statements';

/** The right to change one user at the vendor, and to save the result. It ends when the user is claimed again. */
export interface Claim {
  readonly krn: string;
  /** The fencing number. Each claim gets a higher number than all earlier claims. */
  readonly claimed: string;
  /** The number of the last request. Each request adds 1, so that the end of a run does not discard a request that arrived during the run. */
  readonly requested: string;
  /** Runs that failed in a row. */
  readonly failures: number;
  /** Whether the vendor may have personal data that differs from the stored data. */
  readonly personalData: boolean;
  /** Until when the vendor may still act on an earlier call. */
  readonly lateWriteUntil: Date | null;
  readonly asked: Ask | null;
  /** Codes that the vendor reported as ended. */
  readonly endedCodes: readonly string[];
  /** When the vendor's state must be read once more; null when no change by the vendor was found or reported. */
  readonly lookAt: Date | null;
  /** When the user was claimed, by the database's clock, like all times of the queue. */
  readonly claimedAt: Date;
}

/** A claim that is made before a write to the vendor. */
export interface WriteClaim extends Pick<Claim, 'krn' | 'claimed' | 'requested' | 'lateWriteUntil'> {
  /** Whether the user was already in the queue, so other work for the user may remain. */
  readonly existed: boolean;
  /** The value before the claim. */
  readonly personalData: boolean;
}

/** A user who is due to be reconciled. */
export type DueUser = Pick<Claim, 'krn' | 'failures'>;

/** A user's entry in the queue. */
export interface QueuedReconciliation extends Pick<Claim, 'failures' | 'personalData'> {
  readonly dueAt: Date;
  /** The error of the last failed run; null when no run has failed since the request. */
  readonly lastError: string | null;
}

/** A request to reconcile a user. */
export interface Request {
  readonly personalData?: boolean;
  readonly asked?: Ask;
  /** Whether the user was deleted. The holder of an earlier claim can then no longer save anything. */
  readonly isDeleted?: boolean;
}

/** The user was claimed again, or deleted, so the results of the earlier claim are not saved. */
export class SupersededError extends Error {
  constructor() {
    super('the user was claimed again');
  }
}

/** Stores the queue of users to reconcile with the vendor. Each user has one row, with the time at which the user is due. */
@Injectable()
export class ReconciliationRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: IdpApiConfig,
  ) {}

  /** Requests that the user is reconciled after the commit of the transaction, as soon as the user's lock is free. */
  async request(manager: EntityManager, krn: string, request: Request = {}): Promise<void> {
    const { personalData = false, asked, isDeleted = false } = request;
    const values = [krn, personalData, asked ?? null, isDeleted];
    await queryPrepared(runnerOf(manager), 'reconciliation-request', REQUEST, values);
  }

  /**
   * Requests that several users are reconciled. Users who have no profile and are not queued are skipped.
   * @param asks the requests by KRN; null: the user's enrollments are not requested again
   */
  async requestKnown(manager: EntityManager, asks: ReadonlyMap<string, Ask | null>): Promise<void> {
    const values = [[...asks.keys()], [...asks.values()]];
    await queryPrepared(runnerOf(manager), 'reconciliation-request-known', REQUEST_KNOWN, values);
  }

  /**
   * Makes users due, so that the vendor's state is read now, and once more when all replicas of the vendor show it. The caller has locked
   * the users' rows.
   */
  async hint(manager: EntityManager, hints: readonly Hint[]): Promise<void> {
    const values = [JSON.stringify(hints), this.config.VENDOR_REPLICATION_SECONDS];
    await queryPrepared(runnerOf(manager), 'reconciliation-hint', HINT, values);
  }

  async find(krn: string): Promise<QueuedReconciliation | null> {
    const [row] = await queryPrepared<QueuedReconciliation>(this.dataSource, 'reconciliation-find', FIND, [krn]);
    return row ?? null;
  }

  /** Returns for how many users the last run failed (counted up to 100,000), and how long the longest-waiting user has been due. */
  async measure(): Promise<{ failing: number; overdueSeconds: number }> {
    const [row] = await this.dataSource.query<[{ failing: number; overdueSeconds: number }]>(MEASURE);
    return row;
  }

  /** Takes users who are due, so that other replicas skip them. A user who is then not claimed is due again when the lease ends. */
  takeDue(limit: number): Promise<DueUser[]> {
    return queryPrepared(this.dataSource, 'reconciliation-take-due', TAKE_DUE, [limit, this.leaseSeconds]);
  }

  /** Makes a user who was taken due again after a while. */
  async delay(krn: string, seconds: number): Promise<void> {
    await queryPrepared(this.dataSource, 'reconciliation-delay', DELAY, [krn, seconds]);
  }

  /** Claims a user, even before it is due. Returns null when the user is not queued. The caller holds the user's lock. */
  async claim(krn: string): Promise<Claim | null> {
    const values = [krn, this.leaseSeconds];
    const [claim] = await queryPrepared<Claim>(this.dataSource, 'reconciliation-claim-one', CLAIM_ONE, values);
    return claim ?? null;
  }

  /**
   * Claims a user before its data is written to the vendor. Notes that the vendor's data may differ from ours, for as long as the vendor
   * may act on a call that failed or whose process was killed.
   */
  async claimForWrite(krn: string): Promise<WriteClaim> {
    const values = [krn, this.leaseSeconds, this.lateSeconds];
    const name = 'reconciliation-claim-for-write';
    const [claim] = await queryPrepared<WriteClaim>(this.dataSource, name, CLAIM_FOR_WRITE, values);
    return claim as WriteClaim;
  }

  /**
   * Ends a claim for a write that succeeded: the vendor has the data that the transaction commits.
   *
   * @throws SupersededError when the user was claimed again since, so that the vendor may have other data
   */
  async settle(manager: EntityManager, claim: WriteClaim, asked?: Ask): Promise<void> {
    const { krn, claimed, requested, lateWriteUntil, personalData, existed } = claim;
    const values = [krn, requested, lateWriteUntil, personalData, existed, claimed, asked ?? null];
    const [settled] = await queryPrepared(runnerOf(manager), 'reconciliation-settle', SETTLE, values);
    if (!settled) throw new SupersededError();
  }

  /** Ends a claim for a write that failed. The user is due immediately. @param isOver whether the vendor can no longer act on that write */
  async release({ krn, claimed, lateWriteUntil }: WriteClaim, isOver: boolean): Promise<void> {
    const values = [krn, claimed, isOver, lateWriteUntil];
    await queryPrepared(this.dataSource, 'reconciliation-release', RELEASE, values);
  }

  /** Notes that calls will change a claimed user at the vendor, as {@link claimForWrite}. @throws SupersededError */
  async noteWrite({ krn, claimed }: Claim): Promise<void> {
    const values = [krn, claimed, this.lateSeconds];
    const [noted] = await queryPrepared(this.dataSource, 'reconciliation-note-write', NOTE_WRITE, values);
    if (!noted) throw new SupersededError();
  }

  /** Notes that the calls have ended, and that the vendor can no longer act on them. */
  async forgetWrite({ krn, claimed, lateWriteUntil, personalData }: Claim): Promise<void> {
    const values = [krn, claimed, lateWriteUntil, personalData];
    await queryPrepared(this.dataSource, 'reconciliation-forget-write', FORGET_WRITE, values);
  }

  /**
   * Prevents others from claiming the user until the transaction of a failed run ends.
   *
   * @param lookAgain the same as for `finish`
   * @param isAskSaved whether the run saved everything that was requested before its claim
   * @throws SupersededError
   */
  async hold(
    manager: EntityManager,
    { krn, claimed, requested }: Claim,
    { lookAgain, isAskSaved }: { lookAgain: boolean; isAskSaved: boolean },
  ): Promise<void> {
    const values = [krn, claimed, lookAgain, this.config.VENDOR_REPLICATION_SECONDS, isAskSaved, requested];
    const [held] = await queryPrepared(runnerOf(manager), 'reconciliation-hold', HOLD, values);
    if (!held) throw new SupersededError();
  }

  /**
   * Ends a run that reconciled the user. Requests that arrived during the run stay due.
   *
   * @param nextAt when the user's entitlements next change without an event; null for never
   * @param lookAgain whether the vendor's state was found to have changed
   * @throws SupersededError
   */
  async finish(manager: EntityManager, claim: Claim, nextAt: Date | null, lookAgain = false): Promise<void> {
    const { krn, requested, claimed, claimedAt, endedCodes } = claim;
    const seconds = this.config.VENDOR_REPLICATION_SECONDS;
    const values = [krn, requested, claimed, nextAt, lookAgain, seconds, claimedAt, endedCodes];
    const [finished] = await queryPrepared(runnerOf(manager), 'reconciliation-finish', FINISH, values);
    if (!finished) throw new SupersededError();
  }

  /**
   * Makes the user of a failed run due again after a while. A new request makes the user due earlier. @param error why the run failed;
   * null when the worker continues the run and nothing counts as failed
   */
  async postpone({ krn, requested, claimed }: Claim, seconds: number, error: string | null): Promise<void> {
    const failures = error === null ? 0 : 1;
    const values = [krn, requested, claimed, seconds, failures, error];
    await queryPrepared(this.dataSource, 'reconciliation-postpone', POSTPONE, values);
  }

  /** How long the vendor may act, counted from before the first call. The last call starts within the time budget. */
  private get lateSeconds(): number {
    return this.config.VENDOR_LATE_WRITE_SECONDS + this.config.VENDOR_TIMEOUT_MS / 1000;
  }

  /** How long a user who was taken or claimed is not due. This is longer than the work on any claim takes. */
  private get leaseSeconds(): number {
    return this.config.VENDOR_TIMEOUT_MS / 1000 + 5;
  }
}
