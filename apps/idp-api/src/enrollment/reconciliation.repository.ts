import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import { IdpApiConfig } from '../config';
import type { Ask, Hint } from './enrollment.rules';
import {
  REQUEST,
  LOCK_QUEUE,
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

/** The right to change one user at the vendor, and to save the result. The right ends when the user is claimed again or deleted. */
export interface Claim {
  readonly krn: string;
  /** The fencing number. Each claim gets a higher number than all earlier claims of the same user. */
  readonly claimed: string;
  /**
   * The number of the last request before the claim. Each request adds 1, so that the end of a run does not discard a request that arrived
   * during the run.
   */
  readonly requested: string;
  /** How many runs of the worker have failed since the last success, request or hint, except runs that an open breaker stopped. */
  readonly failures: number;
  /** Whether the vendor may have personal data that differs from the stored data. */
  readonly personalData: boolean;
  /** Until when the vendor may still carry out an earlier call; this time may have passed. Null when no such time is stored. */
  readonly lateWriteUntil: Date | null;
  readonly asked: Ask | null;
  /** Codes that the vendor reported as ended at a time when no earlier call of ours could still take effect. */
  readonly endedCodes: readonly string[];
  /** When the vendor's state must be read once more; null when the vendor neither reported nor showed a change of its own. */
  readonly lookAt: Date | null;
  /** When the user was claimed, by the database's clock, like all times of the queue. */
  readonly claimedAt: Date;
}

/** A claim that is made before a write to the vendor. */
export interface WriteClaim extends Pick<Claim, 'krn' | 'claimed' | 'requested' | 'lateWriteUntil'> {
  /** Whether the user was already in the queue. Other work for the user may then remain after the write. */
  readonly existed: boolean;
  /** The value of `personalData` before the claim. The claim sets `personalData` to true. */
  readonly personalData: boolean;
}

/** A user who is due to be reconciled. */
export type DueUser = Pick<Claim, 'krn' | 'failures'>;

/** A user's entry in the queue. */
export interface QueuedReconciliation extends Pick<Claim, 'failures' | 'personalData'> {
  readonly dueAt: Date;
  /** The error of the last run that `failures` counts; null when `failures` is 0. */
  readonly lastError: string | null;
}

/** A request to reconcile a user. */
export interface Request {
  readonly personalData?: boolean;
  readonly asked?: Ask;
  /** Whether the user was deleted. The request then ends an earlier claim, whose holder can no longer save anything. */
  readonly isDeleted?: boolean;
}

/** The user was claimed again or deleted, so the results of the earlier claim cannot be saved. */
export class SupersededError extends Error {
  constructor() {
    super('the user was claimed again');
  }
}

/** Stores the queue of users to reconcile with the vendor. Each queued user has one row, with the time at which the user is due. */
@Injectable()
export class ReconciliationRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: IdpApiConfig,
  ) {}

  /** Requests that the user is reconciled as soon as the transaction is committed and the user's lock is free. */
  async request(manager: EntityManager, krn: string, request: Request = {}): Promise<void> {
    const { personalData = false, asked, isDeleted = false } = request;
    const values = [krn, personalData, asked ?? null, isDeleted];
    await queryPrepared(runnerOf(manager), 'reconciliation-request', REQUEST, values);
  }

  /**
   * Requests that several users are reconciled. Users who have no profile and are not queued are skipped.
   * @param asks the users by KRN, each with who or what requests the user's enrollments; null if nothing requests them
   */
  async requestKnown(manager: EntityManager, asks: ReadonlyMap<string, Ask | null>): Promise<void> {
    const krns = [...asks.keys()];
    await queryPrepared(runnerOf(manager), 'reconciliation-lock-queue', LOCK_QUEUE, [krns]);
    await queryPrepared(runnerOf(manager), 'reconciliation-request-known', REQUEST_KNOWN, [krns, [...asks.values()]]);
  }

  /**
   * Makes users due: the vendor's state is read now, and once more after the vendor's replication delay. The caller has locked the rows
   * of the users' profiles.
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

  /** Takes users who are due, so that other replicas skip them. A user whom nobody then claims is due again when the lease ends. */
  takeDue(limit: number): Promise<DueUser[]> {
    return queryPrepared(this.dataSource, 'reconciliation-take-due', TAKE_DUE, [limit, this.leaseSeconds]);
  }

  /** Postpones a user whom {@link takeDue} returned: the user is due again after a few seconds. */
  async delay(krn: string, seconds: number): Promise<void> {
    await queryPrepared(this.dataSource, 'reconciliation-delay', DELAY, [krn, seconds]);
  }

  /** Claims a user, even if the user is not due yet. Returns null when the user is not queued. The caller holds the user's lock. */
  async claim(krn: string): Promise<Claim | null> {
    const values = [krn, this.leaseSeconds, this.config.VENDOR_REPLICATION_SECONDS];
    const [claim] = await queryPrepared<Claim>(this.dataSource, 'reconciliation-claim-one', CLAIM_ONE, values);
    return claim ?? null;
  }

  /**
   * Claims a user before the user's data is written to the vendor. Records that the vendor's data may differ from ours, and until when the
   * vendor may carry out a call that failed or whose process was killed.
   */
  async claimForWrite(krn: string): Promise<WriteClaim> {
    const values = [krn, this.leaseSeconds, this.lateSeconds];
    const name = 'reconciliation-claim-for-write';
    const [claim] = await queryPrepared<WriteClaim>(this.dataSource, name, CLAIM_FOR_WRITE, values);
    return claim as WriteClaim;
  }

  /**
   * Ends the claim of a write that succeeded: the vendor now has the data that the transaction commits.
   *
   * @param isOver false if an attempt of the write may still take effect: the worker sends the data now and again at `late_write_until`
   * @throws SupersededError when the user has been claimed again or deleted since, so the vendor may have other data
   */
  async settle(manager: EntityManager, claim: WriteClaim, isOver: boolean, asked?: Ask): Promise<void> {
    const { krn, claimed, requested, lateWriteUntil, personalData, existed } = claim;
    const values = [krn, requested, lateWriteUntil, personalData, existed, claimed, asked ?? null, !isOver];
    const [settled] = await queryPrepared(runnerOf(manager), 'reconciliation-settle', SETTLE, values);
    if (!settled) throw new SupersededError();
  }

  /**
   * Ends the claim of a write that failed. The user is due immediately.
   * @param isOver whether the vendor can no longer carry out the write
   */
  async release({ krn, claimed, lateWriteUntil }: WriteClaim, isOver: boolean): Promise<void> {
    const values = [krn, claimed, isOver, lateWriteUntil];
    await queryPrepared(this.dataSource, 'reconciliation-release', RELEASE, values);
  }

  /** Records, as {@link claimForWrite} does, that calls will change a claimed user at the vendor. @throws SupersededError */
  async noteWrite({ krn, claimed }: Claim): Promise<void> {
    const values = [krn, claimed, this.lateSeconds];
    const [noted] = await queryPrepared(this.dataSource, 'reconciliation-note-write', NOTE_WRITE, values);
    if (!noted) throw new SupersededError();
  }

  /** Records that the calls have ended, and that the vendor cannot carry them out later. */
  async forgetWrite({ krn, claimed, lateWriteUntil, personalData }: Claim): Promise<void> {
    const values = [krn, claimed, lateWriteUntil, personalData];
    await queryPrepared(this.dataSource, 'reconciliation-forget-write', FORGET_WRITE, values);
  }

  /**
   * Locks the user's row in the queue until the transaction ends, so that nobody claims the user before the results of a failed run are saved.
   *
   * @param lookAgain whether the vendor's state was found to have changed, as for `finish`
   * @param isAskSaved whether the results contain everything that was requested before the claim
   * @throws SupersededError
   */
  async hold(
    manager: EntityManager,
    { krn, claimed, requested, endedCodes }: Claim,
    { lookAgain, isAskSaved }: { lookAgain: boolean; isAskSaved: boolean },
  ): Promise<void> {
    const seconds = this.config.VENDOR_REPLICATION_SECONDS;
    const values = [krn, claimed, lookAgain, seconds, isAskSaved, requested, endedCodes];
    const [held] = await queryPrepared(runnerOf(manager), 'reconciliation-hold', HOLD, values);
    if (!held) throw new SupersededError();
  }

  /**
   * Ends a run that reconciled the user. If requests arrived during the run, the user stays due.
   *
   * @param nextAt when the user's entitlements next change without an event; null when no such change is known
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
   * Makes a claimed user due again after a few seconds, for example after a failed run. Has no effect if, since the claim, a request arrived
   * or the user was claimed again.
   *
   * @param error why the run failed; null when the run does not count as failed
   */
  async postpone({ krn, requested, claimed }: Claim, seconds: number, error: string | null): Promise<void> {
    const failures = error === null ? 0 : 1;
    const values = [krn, requested, claimed, seconds, failures, error];
    await queryPrepared(this.dataSource, 'reconciliation-postpone', POSTPONE, values);
  }

  /**
   * How long the vendor may carry out calls of a run, counted from before the first call. The last call starts within the time budget,
   * which is `VENDOR_TIMEOUT_MS` at most.
   */
  private get lateSeconds(): number {
    return this.config.VENDOR_LATE_WRITE_SECONDS + this.config.VENDOR_TIMEOUT_MS / 1000;
  }

  /** How long a user who was taken or claimed is not due: the time that a run has for the vendor, and 5 s for everything else. */
  private get leaseSeconds(): number {
    return this.config.VENDOR_TIMEOUT_MS / 1000 + 5;
  }
}
