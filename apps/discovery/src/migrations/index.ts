import type { SchemaDefinition } from '@tandem/database';
import { CreateCatalog1766000000000 } from './1766000000000-create-catalog';

/** The schema of this app, which the migrate step applies. */
export const SCHEMA: SchemaDefinition = {
  schema: 'discovery',
  migrations: [CreateCatalog1766000000000],
};
