import { IntegerField, KnownParametersOnly, RuleField, TextField, isKrn } from '@tandem/http-api';
import type { AuditEntry } from './audit.entity';

/** An entry as the person on call sees it; times are ISO 8601. */
export interface AuditEntryView extends Omit<AuditEntry, 'seq' | 'startedAt' | 'finishedAt'> {
  readonly id: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
}

/** Entries about a user, by an actor, or both; all entries when neither is given. */
@KnownParametersOnly()
export class ListAuditEntries {
  @RuleField(isKrn, { optional: true, message: 'krn must be the KRN of a user' })
  krn?: string;

  @TextField({ optional: true, min: 1, max: 255, storable: true })
  actor?: string;

  @TextField({ optional: true, pattern: /^\d{1,18}$/, message: 'cursor must be the nextCursor of a page' })
  cursor?: string;

  @IntegerField({ optional: true, min: 1, max: 500, fromText: true })
  limit = 50;
}
