import type { SchemaDefinition } from '@tandem/database';
import { MESSAGING_MIGRATIONS } from '@tandem/messaging';
import { CreatePostbackTables1732060900000 } from './1732060900000-create-postback-tables';

/** This app's schema, for the migrate step. */
export const SCHEMA: SchemaDefinition = {
  schema: 'postback',
  migrations: [...MESSAGING_MIGRATIONS, CreatePostbackTables1732060900000],
};
