import type { SchemaDefinition } from '@tandem/database';
import { MESSAGING_MIGRATIONS } from '@tandem/messaging';
import { CreateVoucherTables1764000000000 } from './1764000000000-create-voucher-tables';
import { AddCouponCodeHash1764500000000 } from './1764500000000-add-coupon-code-hash';
import { CreateCouponStatistics1769000060000 } from './1769000060000-create-coupon-statistics';

/** The schema of this app, which the migrate step creates and updates. */
export const SCHEMA: SchemaDefinition = {
  schema: 'voucher',
  migrations: [
    ...MESSAGING_MIGRATIONS,
    CreateVoucherTables1764000000000,
    AddCouponCodeHash1764500000000,
    CreateCouponStatistics1769000060000,
  ],
};
