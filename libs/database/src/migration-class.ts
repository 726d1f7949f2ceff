import type { MigrationInterface } from 'typeorm';

/** A TypeORM migration class. */
export interface MigrationClass {
  new (): MigrationInterface;
  /**
   * Why no older version of the app needs what the migration removes: see docs/releases.md. It is undefined if the migration only
   * expands.
   */
  readonly contract?: string;
}
