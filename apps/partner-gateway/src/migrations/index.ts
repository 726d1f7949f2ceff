import type { SchemaDefinition } from '@tandem/database';
import { MESSAGING_MIGRATIONS } from '@tandem/messaging';
import { RATE_LIMIT_MIGRATIONS } from '@tandem/rate-limit';
import { CreatePartnerAccounts1763700000000 } from './1763700000000-create-partner-accounts';
import { CreateSales1763700060000 } from './1763700060000-create-sales';
import { AddEndpointLimits1764200000000 } from './1764200000000-add-endpoint-limits';
import { AddUnattributedReason1764300060000 } from './1764300060000-add-unattributed-reason';
import { IndexSalesForManagers1764600000000 } from './1764600000000-index-sales-for-managers';
import { IndexUnattributedSales1767000103000 } from './1767000103000-index-unattributed-sales';
import { IndexSalesOfPartners1767100000000 } from './1767100000000-index-sales-of-partners';
import { CreateSaleStatistics1767100060000 } from './1767100060000-create-sale-statistics';
import { IndexAudit1767100120000 } from './1767100120000-index-audit';
import { AddHoldEvidence1767100180000 } from './1767100180000-add-hold-evidence';
import { CreatePortalLinks1767100240000 } from './1767100240000-create-portal-links';
import { IndexPortalSessions1767100300000 } from './1767100300000-index-portal-sessions';
import { IndexSalesByTime1767200000000 } from './1767200000000-index-sales-by-time';
import { CreatePartnerApplications1767200060000 } from './1767200060000-create-partner-applications';
import { IndexAuditOfPartners1767200120000 } from './1767200120000-index-audit-of-partners';
import { IndexStartOfReferences1769200000000 } from './1769200000000-index-start-of-references';
import { AddTokenName1769300000000 } from './1769300000000-add-token-name';
import { IndexStatisticsByTime1769300060000 } from './1769300060000-index-statistics-by-time';
import { AddPortalLinkName1769400000000 } from './1769400000000-add-portal-link-name';

/** The database schema of this app: its name, its migrations and its append-only tables. */
export const SCHEMA: SchemaDefinition = {
  schema: 'partner',
  migrations: [
    ...MESSAGING_MIGRATIONS,
    ...RATE_LIMIT_MIGRATIONS,
    CreatePartnerAccounts1763700000000,
    CreateSales1763700060000,
    AddEndpointLimits1764200000000,
    AddUnattributedReason1764300060000,
    IndexSalesForManagers1764600000000,
    IndexUnattributedSales1767000103000,
    IndexSalesOfPartners1767100000000,
    CreateSaleStatistics1767100060000,
    IndexAudit1767100120000,
    AddHoldEvidence1767100180000,
    CreatePortalLinks1767100240000,
    IndexPortalSessions1767100300000,
    IndexSalesByTime1767200000000,
    CreatePartnerApplications1767200060000,
    IndexAuditOfPartners1767200120000,
    IndexStartOfReferences1769200000000,
    AddTokenName1769300000000,
    IndexStatisticsByTime1769300060000,
    AddPortalLinkName1769400000000,
  ],
  appendOnly: { audit_entry: [] },
};
