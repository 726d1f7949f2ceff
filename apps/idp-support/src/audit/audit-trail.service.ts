import { Injectable } from '@nestjs/common';
import { type Page, timeOf, toPage, ValidationFailedError } from '@tandem/http-api';
import type { Act } from '../support-authentication/act';
import type { AuditEntryView, AuditPageQuery, AuditQuery, Erasure, Erasures } from './audit.dto';
import { type AuditEntry, isRead } from './audit.entity';
import { type AuditPageRequest, AuditRepository } from './audit.repository';
import { AuditService } from './audit.service';

/** How many erasures of a user are returned at most. A user can be erased again after creating a new profile. */
const MAX_ERASURES = 50;

/** Reads the audit trail. Each read adds an entry of its own, which is not on the page that the read returns. */
@Injectable()
export class AuditTrailService {
  constructor(
    private readonly audit: AuditService,
    private readonly entries: AuditRepository,
  ) {}

  /** Returns the actions on a user, newest first. */
  listOfUser(act: Act, krn: string, { reads, cursor, limit }: AuditPageQuery): Promise<Page<AuditEntryView>> {
    return this.audit.run(act, { action: 'audit.read', krn }, (entry) =>
      this.page({ krn, omitsReads: reads === 'false', before: cursor ?? entry.seq, limit }),
    );
  }

  /**
   * Returns the actions of staff, newest first.
   * @throws ValidationFailedError when `to` is not later than `from`, or when `reads` is false but `action` is an action that only reads
   */
  async list(act: Act, { cursor, limit, ...filters }: AuditQuery): Promise<Page<AuditEntryView>> {
    const { actor, action, reads, from, to } = filters;
    const times = {
      from: from === undefined ? undefined : timeOf(from),
      to: to === undefined ? undefined : timeOf(to),
    };
    if (times.from && times.to && times.from >= times.to) {
      throw new ValidationFailedError([{ field: 'to', message: 'must be later than from' }]);
    }
    if (reads === 'false' && action !== undefined && isRead(action)) {
      throw new ValidationFailedError([
        { field: 'reads', message: `must not be false for ${action}, which only reads` },
      ]);
    }
    const given = Object.entries({ actor, action, reads, from, to }).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    );
    return this.audit.run(act, { action: 'audit.read', krn: null, details: { filters: given } }, (entry) =>
      this.page({ actor, action, omitsReads: reads === 'false', ...times, before: cursor ?? entry.seq, limit }),
    );
  }

  /**
   * Returns the erasures of a user that support requested, newest first. An item with the outcome `succeeded` proves that the user was
   * erased, by whom, and why.
   */
  listErasures(act: Act, krn: string): Promise<Erasures> {
    return this.audit.run(act, { action: 'audit.read', krn, details: { erasures: true } }, async () => {
      const found = await this.entries.findPage({ krn, action: 'user.delete', limit: MAX_ERASURES });
      return { items: found.slice(0, MAX_ERASURES).map(erasureOf) };
    });
  }

  private async page(request: AuditPageRequest): Promise<Page<AuditEntryView>> {
    return toPage(await this.entries.findPage(request), request.limit, viewOf, ({ seq }) => seq);
  }
}

const viewOf = ({ seq, startedAt, finishedAt, ...entry }: AuditEntry): AuditEntryView => ({
  id: seq,
  ...entry,
  startedAt: startedAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
});

const erasureOf = ({ actor, reason, requestId, outcome, startedAt, finishedAt }: AuditEntry): Erasure => ({
  requested_at: startedAt.toISOString(),
  erased_at: outcome === 'succeeded' ? (finishedAt?.toISOString() ?? null) : null,
  actor,
  reason,
  request_id: requestId,
  outcome,
});
