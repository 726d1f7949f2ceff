import type { SchemaDefinition } from '@tandem/database';
import { MESSAGING_MIGRATIONS } from '@tandem/messaging';
import { CreateVoucherTables1764000000000 } from './1764000000000-create-voucher-tables';

/** This app's schema, for the migrate step. */
export const SCHEMA: SchemaDefinition = {
  schema: 'voucher',
  migrations: [...MESSAGING_MIGRATIONS, CreateVoucherTables1764000000000],
};
