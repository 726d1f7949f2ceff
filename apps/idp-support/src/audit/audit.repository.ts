import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { type ActDetails, type ActOutcome, AuditEntry, READ_ACTIONS, type SupportAction } from './audit.entity';

export type NewAuditEntry = Pick<AuditEntry, 'actor' | 'action' | 'krn' | 'reason' | 'requestId' | 'details'>;

/** Selects the entries of a page. */
export interface AuditPageRequest {
  readonly krn?: string;
  readonly actor?: string;
  readonly action?: SupportAction;
  /** Whether to omit the actions that only read. */
  readonly omitsReads?: boolean;
  /** Selects actions that began at this time or later. */
  readonly from?: Date;
  /** Selects actions that began before this time. */
  readonly to?: Date;
  /** Selects the entries that follow the entry with this `seq` in the list. If omitted, the page starts at the newest entry. */
  readonly before?: string;
  readonly limit: number;
}

const INSERT = `
  insert into audit_entry (actor, action, krn, reason, request_id, details) values ($1, $2, $3, $4, $5, $6) returning seq`;

const FINISH = `
  update audit_entry set outcome = $2, error = $3, details = details || $4::jsonb, finished_at = now()
   where seq = $1 and outcome = 'started'`;

const ADD_DETAILS = `update audit_entry set details = details || $2::jsonb where seq = $1 and outcome = 'started'`;

/** The code of ServiceUnavailableError: idp-api gave no answer, so it may or may not have carried out the action. */
const NO_ANSWER = 'service_unavailable';

/** Locks the entries in the order of `seq`, so that two repeated requests for the same erasure cannot deadlock. */
const LOCK_UNANSWERED = `
  select seq from audit_entry
   where krn = $1 and action = $2 and seq < $3 and details ? $4 and (outcome = 'started' or error = '${NO_ANSWER}')
   order by seq for update`;

const OMIT_REPEATED = `
  select seq, request_id as "requestId" from audit_entry
   where seq = any ($3::bigint[])
     and seq > coalesce((select max(seq) from audit_entry where krn = $1 and action = $2 and outcome = 'succeeded'), 0)
   order by seq`;

const FAIL_STARTED = `
  update audit_entry set outcome = 'failed', error = '${NO_ANSWER}', finished_at = now()
   where seq = any ($1::bigint[]) and outcome = 'started'`;

@Injectable()
export class AuditRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /** Adds an entry with the outcome `started`. @returns the entry's `seq` */
  async insert({ actor, action, krn, reason, requestId, details }: NewAuditEntry): Promise<string> {
    const values = [actor, action, krn, reason, requestId, details];
    const [row] = await this.manager.query<{ seq: string }[]>(INSERT, values);
    return (row as { seq: string }).seq;
  }

  /**
   * Sets the outcome of an action whose outcome is still `started`. Has no effect on any other action.
   *
   * @param manager the transaction to use; by default, the statement runs in its own transaction
   */
  async finish(
    seq: string,
    { outcome, error, details }: { outcome: ActOutcome; error: string | null; details: ActDetails },
    manager = this.manager,
  ): Promise<void> {
    await manager.query(FINISH, [seq, outcome, error, details]);
  }

  /** Adds details to the entry of an action that is under way. */
  async addDetails(seq: string, details: ActDetails): Promise<void> {
    await this.manager.query(ADD_DETAILS, [seq, details]);
  }

  /**
   * Returns the entries of the actions `action` on the user `krn` to which idp-api gave no answer, oldest first. Leaves out entries that are
   * older than the last success of this action on the user. Locks the entries until the transaction ends, so that concurrent repetitions of
   * the action read the entries one after the other.
   *
   * @param before the `seq` of the entry of the repeated request: only entries that are older than this entry are returned
   * @param detail only entries with this detail are returned
   */
  async lockUnanswered(
    manager: EntityManager,
    { krn, action, before, detail }: { krn: string; action: SupportAction; before: string; detail: string },
  ): Promise<Pick<AuditEntry, 'seq' | 'requestId'>[]> {
    const locked = await manager.query<{ seq: string }[]>(LOCK_UNANSWERED, [krn, action, before, detail]);
    // This is a second statement, because it must see a repeated request that succeeded while the first statement waited for the locks.
    return manager.query(OMIT_REPEATED, [krn, action, locked.map(({ seq }) => seq)]);
  }

  /** Sets the outcome `failed` for those of the given actions whose outcome is still `started`. */
  async failStarted(manager: EntityManager, seqs: readonly string[]): Promise<void> {
    await manager.query(FAIL_STARTED, [seqs]);
  }

  /**
   * Returns up to `limit + 1` entries. Entry `limit + 1` only shows that there is a next page. A list with a time range is sorted by time, so
   * that an index finds the rows of each page without reading entries that are newer than the range. Any other list is sorted by `seq`.
   */
  findPage({ krn, actor, action, omitsReads, from, to, before, limit }: AuditPageRequest): Promise<AuditEntry[]> {
    const list = this.manager.createQueryBuilder(AuditEntry, 'entry').take(limit + 1);
    for (const [name, value] of Object.entries({ krn, actor, action })) {
      if (value !== undefined) list.andWhere(`entry.${name} = :${name}`, { [name]: value });
    }
    if (omitsReads) list.andWhere(IS_CHANGE);
    if (from) list.andWhere('entry.startedAt >= :from', { from });
    if (to) list.andWhere('entry.startedAt < :to', { to });
    const isTimed = from !== undefined || to !== undefined;
    if (isTimed) list.orderBy('entry.startedAt', 'DESC');
    if (before !== undefined) list.andWhere(isTimed ? EARLIER : 'entry.seq < :before', { before });
    return list.addOrderBy('entry.seq', 'DESC').getMany();
  }
}

/**
 * Selects the actions that are not reads. The condition is the same as in the partial indexes audit_entry_change…, and has no parameters.
 * Postgres uses a partial index only if it can prove that the query's condition implies the index's condition.
 */
const IS_CHANGE = `entry.action not in (${READ_ACTIONS.map((action) => `'${action}'`).join(', ')})`;

/**
 * Selects the entries after the cursor's entry in a list that is sorted by time. A cursor contains only the `seq` of an entry, so the
 * entry's time is read from the table.
 */
const EARLIER = '(entry.startedAt, entry.seq) < (select started_at, seq from audit_entry where seq = :before)';
