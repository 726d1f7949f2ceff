import type { CatalogRepository } from '../catalog/catalog.repository';
import { type CatalogDiff, diffOf, removesMost } from './catalog-diff.rules';
import { readCatalogFile } from './catalog-file';
import { CatalogChangedError, TooManyRemovalsError } from './catalog-import.errors';

/** An import whose file has been compared with the catalog, and that has not been carried out yet. */
export interface PlannedImport {
  readonly diff: CatalogDiff;
  /**
   * Carries out the import, completely or not at all.
   *
   * @param allowRemovals whether the import may remove more than half of the locations, or reduce the number of endpoints by more than half
   * @throws TooManyRemovalsError when the import needs `allowRemovals`, and it is false
   * @throws CatalogChangedError when the catalog was changed after the comparison
   */
  readonly apply: (allowRemovals: boolean) => Promise<void>;
}

/** Imports the catalog from a file, and exports it as a file. */
export class CatalogImportService {
  constructor(private readonly repository: CatalogRepository) {}

  /** Compares a file with the catalog. @param text the content of the file @throws InvalidCatalogError */
  async planImport(text: string): Promise<PlannedImport> {
    const locations = readCatalogFile(text);
    const { version, locations: present } = await this.repository.read();
    const diff = diffOf(present, locations);
    return {
      diff,
      apply: async (allowRemovals) => {
        if (removesMost(diff) && !allowRemovals) throw new TooManyRemovalsError();
        if (!(await this.repository.replaceAll(locations, version))) throw new CatalogChangedError();
      },
    };
  }

  /** Returns the catalog as a file that can be imported. */
  async exportFile(): Promise<string> {
    const { locations } = await this.repository.read();
    return `${JSON.stringify({ locations }, null, 2)}\n`;
  }
}
