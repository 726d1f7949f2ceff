import type { MigrationInterface } from 'typeorm';

/** A TypeORM migration class. */
export interface MigrationClass {
  new (): MigrationInterface;
  /**
   * The reason why no older version of the app needs the objects that the migration removes: see docs/releases.md.
   * Undefined for a migration that only expands the schema.
   */
  readonly contract?: string;
}
