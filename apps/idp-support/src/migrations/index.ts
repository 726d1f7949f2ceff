import type { SchemaDefinition } from '@tandem/database';
import { MESSAGING_MIGRATIONS } from '@tandem/messaging';
import { CreateAuditEntry1766000000000 } from './1766000000000-create-audit-entry';
import { RefuseChangesOfFinishedEntries1766000060000 } from './1766000060000-refuse-changes-of-finished-entries';
import { AuditActsWithoutAUser1768700000000 } from './1768700000000-audit-acts-without-a-user';
import { IndexAuditByTime1769100000000 } from './1769100000000-index-audit-by-time';
import { IndexChangesBySupport1769500000000 } from './1769500000000-index-changes-by-support';

/** The schema of this app, which the migrate step applies. */
export const SCHEMA: SchemaDefinition = {
  schema: 'support',
  migrations: [
    ...MESSAGING_MIGRATIONS,
    CreateAuditEntry1766000000000,
    RefuseChangesOfFinishedEntries1766000060000,
    AuditActsWithoutAUser1768700000000,
    IndexAuditByTime1769100000000,
    IndexChangesBySupport1769500000000,
  ],
  appendOnly: { audit_entry: ['outcome', 'error', 'details', 'finished_at'] },
};
