import { createDataSource } from '@tandem/database';
import { BaseConfig, loadConfig, WithDatabase } from '@tandem/service-defaults';
import { CatalogRepository } from '../catalog/catalog.repository';
import { CatalogImportService } from './catalog-import.service';

/** The environment variables of the import, the export and the seed: only those of the database. */
class CommandConfig extends WithDatabase(BaseConfig) {}

/** Runs `work` on the catalog in the database of `DATABASE_URL`, on one connection. @throws ConfigError */
export async function withCatalogImport<T>(work: (catalog: CatalogImportService) => Promise<T>): Promise<T> {
  const { DATABASE_URL: url } = loadConfig(CommandConfig, process.env);
  const dataSource = createDataSource({ url, applicationName: 'discovery import', poolMax: 1 });
  await dataSource.initialize();
  try {
    return await work(new CatalogImportService(new CatalogRepository(dataSource)));
  } finally {
    await dataSource.destroy();
  }
}
