import type { SchemaDefinition } from '@tandem/database';
import { MESSAGING_MIGRATIONS } from '@tandem/messaging';
import { CreateUsers1765000000000 } from './1765000000000-create-users';

/** This app's schema, for the migrate step. */
export const SCHEMA: SchemaDefinition = {
  schema: 'idp',
  migrations: [...MESSAGING_MIGRATIONS, CreateUsers1765000000000],
};
