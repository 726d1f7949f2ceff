import type { MigrationInterface } from 'typeorm';

/** A TypeORM migration class. */
export interface MigrationClass {
  new (): MigrationInterface;
  /**
   * Set for a contract step, to the reason why the step is safe: why no older version of the app needs what the
   * migration removes or changes, or why the migration may write every row of a table. See docs/releases.md.
   */
  readonly contract?: string;
}
