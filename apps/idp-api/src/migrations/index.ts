import type { SchemaDefinition } from '@tandem/database';
import { MESSAGING_MIGRATIONS } from '@tandem/messaging';
import { RATE_LIMIT_MIGRATIONS } from '@tandem/rate-limit';
import { CreateUsers1765000000000 } from './1765000000000-create-users';
import { CreateAlertTables1765100000000 } from './1765100000000-create-alert-tables';
import { CreateMockFlag1765100060000 } from './1765100060000-create-mock-flag';
import { AddReconciliationError1765200000000 } from './1765200000000-add-reconciliation-error';
import { AddVendorReports1765300000000 } from './1765300000000-add-vendor-reports';
import { AddLateWrite1765310000000 } from './1765310000000-add-late-write';
import { CreateSubscriptionReceipt1765400000000 } from './1765400000000-create-subscription-receipt';
import { IndexWhatIsMeasured1766000000002 } from './1766000000002-index-what-is-measured';
import { KeepRefusalsAfterDelete1768300000000 } from './1768300000000-keep-refusals-after-delete';
import { AddVendorLooks1768400000000 } from './1768400000000-add-vendor-looks';
import { AddListedToPushedAlert1768500000000 } from './1768500000000-add-listed-to-pushed-alert';
import { ForgetEndedSubscriptions1768600000000 } from './1768600000000-forget-ended-subscriptions';
import { AddProfileHashes1768700000000 } from './1768700000000-add-profile-hashes';
import { AddStoredAtToPushedAlert1768800000000 } from './1768800000000-add-stored-at-to-pushed-alert';
import { RepairEarlyForgetAt1769300000000 } from './1769300000000-repair-early-forget-at';

/** The schema of this app, which the migrate step applies. */
export const SCHEMA: SchemaDefinition = {
  schema: 'idp',
  migrations: [
    ...MESSAGING_MIGRATIONS,
    ...RATE_LIMIT_MIGRATIONS,
    CreateUsers1765000000000,
    CreateAlertTables1765100000000,
    CreateMockFlag1765100060000,
    AddReconciliationError1765200000000,
    AddVendorReports1765300000000,
    AddLateWrite1765310000000,
    CreateSubscriptionReceipt1765400000000,
    IndexWhatIsMeasured1766000000002,
    KeepRefusalsAfterDelete1768300000000,
    AddVendorLooks1768400000000,
    AddListedToPushedAlert1768500000000,
    ForgetEndedSubscriptions1768600000000,
    AddProfileHashes1768700000000,
    AddStoredAtToPushedAlert1768800000000,
    RepairEarlyForgetAt1769300000000,
  ],
};
