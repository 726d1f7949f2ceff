import type { SchemaDefinition } from '@tandem/database';
import { CreateCatalog1766000000000 } from './1766000000000-create-catalog';

/** This app's schema, for the migrate step. */
export const SCHEMA: SchemaDefinition = {
  schema: 'discovery',
  migrations: [CreateCatalog1766000000000],
};
