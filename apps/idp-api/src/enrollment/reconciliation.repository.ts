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

/** The right to change one user at the vendor, and to save the result, until the user is claimed again. */
export interface Claim {
  readonly krn: string;
  /** The fencing number: each claim adds 1. */
  readonly claimed: string;
  /** Each request adds 1, so that the end of a run does not discard a request that arrived during the run. */
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
  /** By the database's clock, like all times of the queue. */
  readonly claimedAt: Date;
}

/** A claim that is made before a write to the vendor. */
export interface WriteClaim extends Pick<Claim, 'krn' | 'claimed' | 'requested' | 'lateWriteUntil'> {
  /** Whether the user was already queued, so other work for it remains. */
  readonly existed: boolean;
  /** Before the claim. */
  readonly personalData: boolean;
}

/** A user that is due. */
export type DueUser = Pick<Claim, 'krn' | 'failures'>;

/** A user's position in the queue. */
export interface QueuedReconciliation extends Pick<Claim, 'failures' | 'personalData'> {
  readonly dueAt: Date;
  /** The error of the last failed run; null when no run has failed since the request. */
  readonly lastError: string | null;
}

/** Why a user is to be reconciled. */
export interface Request {
  readonly personalData?: boolean;
  readonly asked?: Ask;
  /** Whether the user was deleted, so the holder of a claim can no longer save anything. */
  readonly isDeleted?: boolean;
}

/** The user was claimed again, or deleted: the results of the earlier claim are not saved. */
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
  async request(manager: EntityManager, krn: string, request: Request = {}): Promise<void> {
    const { personalData = false, asked, isDeleted = false } = request;
    const values = [krn, personalData, asked ?? null, isDeleted];
    await queryPrepared(runnerOf(manager), 'reconciliation-request', REQUEST, values);
  }

  /** The same for several users; skips users who have no profile and are not queued. @param asks by KRN; null: nothing was requested */
  async requestKnown(manager: EntityManager, asks: ReadonlyMap<string, Ask | null>): Promise<void> {
    const values = [[...asks.keys()], [...asks.values()]];
    await queryPrepared(runnerOf(manager), 'reconciliation-request-known', REQUEST_KNOWN, values);
  }

  /** Schedules a read of the vendor's state of users now, and another once all its replicas show it. The caller has locked the users' rows. */
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

  /** Takes users that are due, so that other replicas skip them. A user that is not claimed is due again when its lease ends. */
  takeDue(limit: number): Promise<DueUser[]> {
    return queryPrepared(this.dataSource, 'reconciliation-take-due', TAKE_DUE, [limit, this.leaseSeconds]);
  }

  /** Makes a user that was taken due again after a while. */
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
   * Ends a claim for a write: the vendor has the data that the transaction commits.
   *
   * @throws SupersededError when the user was claimed again since: the vendor may have other data
   */
  async settle(manager: EntityManager, claim: WriteClaim, asked?: Ask): Promise<void> {
    const { krn, claimed, requested, lateWriteUntil, personalData, existed } = claim;
    const values = [krn, requested, lateWriteUntil, personalData, existed, claimed, asked ?? null];
    const [settled] = await queryPrepared(runnerOf(manager), 'reconciliation-settle', SETTLE, values);
    if (!settled) throw new SupersededError();
  }

  /** Ends a claim for a write that failed: the user is due immediately. @param isOver whether the vendor can no longer act on that write */
  async release({ krn, claimed, lateWriteUntil }: WriteClaim, isOver: boolean): Promise<void> {
    const values = [krn, claimed, isOver, lateWriteUntil];
    await queryPrepared(this.dataSource, 'reconciliation-release', RELEASE, values);
  }

  /** Notes that calls are going to change a claimed user at the vendor, see {@link claimForWrite}. @throws SupersededError */
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
   * @param lookAgain as for `finish`
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
   * Ends a run that reconciled the user. Requests that arrived since stay due.
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
   * Schedules a failed run again after a while, or earlier on a new request. @param error why it failed; null when the vendor was not called
   */
  async postpone({ krn, requested, claimed }: Claim, seconds: number, error: string | null): Promise<void> {
    const failures = error === null ? 0 : 1;
    const values = [krn, requested, claimed, seconds, failures, error];
    await queryPrepared(this.dataSource, 'reconciliation-postpone', POSTPONE, values);
  }

  /** Counted from before the first call. The last call is made within the budget. */
  private get lateSeconds(): number {
    return this.config.VENDOR_LATE_WRITE_SECONDS + this.config.VENDOR_TIMEOUT_MS / 1000;
  }

  /** Longer than the work on any claim takes. */
  private get leaseSeconds(): number {
    return this.config.VENDOR_TIMEOUT_MS / 1000 + 5;
  }
}
