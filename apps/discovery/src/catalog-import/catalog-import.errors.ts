import { ErrorOf } from '@tandem/http-api';

/** The catalog was changed between the comparison and the import. */
export class CatalogChangedError extends ErrorOf(
  'catalog_changed',
  'the catalog was changed since it was compared, and nothing was imported: look at the difference again',
) {}

export class TooManyRemovalsError extends ErrorOf(
  'too_many_removals',
  'this removes more than half of the locations or endpoints, and nothing was imported: --allow-removals does it all the same',
) {}
