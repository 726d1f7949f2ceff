import { ErrorOf } from '@tandem/http-api';

/** The catalog was changed after it had been compared with the file, and before the import was carried out. */
export class CatalogChangedError extends ErrorOf(
  'catalog_changed',
  'the catalog has changed since it was compared, so nothing was imported: run the import again to see the new difference',
) {}

export class TooManyRemovalsError extends ErrorOf(
  'too_many_removals',
  'the import would remove more than half of the locations, or reduce the number of endpoints by more than half, so nothing was imported: give --allow-removals to import it anyway',
) {}
