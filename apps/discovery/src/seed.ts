import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CatalogImportService } from './catalog-import/catalog-import.service';
import { withCatalogImport } from './catalog-import/with-catalog-import';

const FILE = path.join(__dirname, '../seed/locations.json');

/** Fills the catalog with samples if it is empty. A catalog that has locations is not changed. */
export async function seedCatalog(catalog: CatalogImportService): Promise<void> {
  const planned = await catalog.planImport(await readFile(FILE, 'utf8'));
  if (planned.diff.before.locations === 0) await planned.apply(false);
}

if (require.main === module) {
  withCatalogImport(seedCatalog).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
