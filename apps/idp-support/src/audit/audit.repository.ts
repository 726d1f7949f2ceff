import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { type ActDetails, type ActOutcome, AuditEntry, type SupportAction } from './audit.entity';

export type NewAuditEntry = Pick<AuditEntry, 'actor' | 'action' | 'krn' | 'reason' | 'requestId' | 'details'>;

/** Selects the entries of a page. */
export interface AuditPageRequest {
  readonly krn?: string;
  readonly actor?: string;
  readonly action?: SupportAction;
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

  /**
   * Returns up to `limit + 1` entries. Entry `limit + 1` only shows that there is a next page. A list with a time range is sorted by time, so
   * that an index finds the rows of each page without reading entries that are newer than the range. Any other list is sorted by `seq`.
   */
  findPage({ krn, actor, action, from, to, before, limit }: AuditPageRequest): Promise<AuditEntry[]> {
    const list = this.manager.createQueryBuilder(AuditEntry, 'entry').take(limit + 1);
    for (const [name, value] of Object.entries({ krn, actor, action })) {
      if (value !== undefined) list.andWhere(`entry.${name} = :${name}`, { [name]: value });
    }
    if (from) list.andWhere('entry.startedAt >= :from', { from });
    if (to) list.andWhere('entry.startedAt < :to', { to });
    const isTimed = from !== undefined || to !== undefined;
    if (isTimed) list.orderBy('entry.startedAt', 'DESC');
    if (before !== undefined) list.andWhere(isTimed ? EARLIER : 'entry.seq < :before', { before });
    return list.addOrderBy('entry.seq', 'DESC').getMany();
  }
}

/**
 * Selects the entries after the cursor's entry in a list that is sorted by time. A cursor contains only the `seq` of an entry, so the
 * entry's time is read from the table.
 */
const EARLIER = '(entry.startedAt, entry.seq) < (select started_at, seq from audit_entry where seq = :before)';
