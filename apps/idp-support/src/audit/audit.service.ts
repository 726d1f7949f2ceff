import { Injectable, Logger } from '@nestjs/common';
import { failureOf } from '@tandem/http-api';
import type { EntityManager } from 'typeorm';
import { ERRORS } from '../error-map';
import type { Act } from '../support-authentication/act';
import type { ActDetails, ActOutcome, SupportAction } from './audit.entity';
import { AuditRepository } from './audit.repository';

/** An action that support is about to carry out. */
export interface PlannedAct {
  readonly action: SupportAction;
  /** The user's KRN; null if the action does not concern a single user. */
  readonly krn: string | null;
  readonly details?: ActDetails;
}

/** The entry of an action that is under way. */
export class OpenEntry {
  private more: ActDetails = {};

  constructor(
    readonly seq: string,
    private readonly entries: AuditRepository,
  ) {}

  /** Details that became known during the action: ids and counts, never personal data. */
  get details(): ActDetails {
    return this.more;
  }

  note(details: ActDetails): void {
    this.more = { ...this.more, ...details };
  }

  /** Adds details and stores them now, so that they are known even if this process is killed during the action. */
  async store(details: ActDetails): Promise<void> {
    this.note(details);
    await this.entries.addDetails(this.seq, details);
  }

  /** Records the success of the action in the transaction that carries out the action. */
  succeed(manager: EntityManager): Promise<void> {
    return this.entries.finish(this.seq, { outcome: 'succeeded', error: null, details: this.more }, manager);
  }
}

/**
 * Writes the audit trail. idp-api makes the changes in its own transactions, which an entry cannot share, so an entry is written before the
 * action and finished after it.
 */
@Injectable()
export class AuditService {
  private readonly logger = new Logger('audit');

  constructor(private readonly entries: AuditRepository) {}

  /**
   * Writes the entry of an action, and then runs the action. If the entry cannot be written, the action is not run.
   *
   * @throws the database's error when the entry cannot be written, or the error of `work`
   */
  async run<T>(act: Act, planned: PlannedAct, work: (entry: OpenEntry) => Promise<T>): Promise<T> {
    const { action, krn, details = {} } = planned;
    const entry = new OpenEntry(await this.entries.insert({ ...act, action, krn, details }), this.entries);
    try {
      const result = await work(entry);
      await this.finish(planned, entry, 'succeeded', null);
      return result;
    } catch (error) {
      const { outcome, code } = verdictOf(error);
      await this.finish(planned, entry, outcome, code);
      throw error;
    }
  }

  /**
   * Finishes an entry. If the entry cannot be finished, it keeps the outcome `started`, and the caller still gets the result or the error
   * of the action.
   */
  private async finish(
    { action, krn, details }: PlannedAct,
    entry: OpenEntry,
    outcome: ActOutcome,
    error: string | null,
  ): Promise<void> {
    const line = { msg: 'support.acted', action, krn, outcome, error, ...details, ...entry.details };
    this.logger.log(line);
    await this.entries.finish(entry.seq, { outcome, error, details: entry.details }).catch((cause: unknown) => {
      const { message } = cause as Error;
      this.logger.error({ msg: 'an audit entry could not be finished', entry: entry.seq, outcome, reason: message });
    });
  }
}

/** Returns the outcome and the code of an error. `refused`: the action was not carried out. `failed`: it may have been carried out. */
function verdictOf(error: unknown): { outcome: ActOutcome; code: string } {
  const failure = failureOf(error, ERRORS);
  if (!failure) return { outcome: 'failed', code: 'internal' };
  return { outcome: failure.status >= 500 ? 'failed' : 'refused', code: failure.code };
}
