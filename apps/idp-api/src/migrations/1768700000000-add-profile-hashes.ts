import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the keyed hashes by which support finds users. In existing rows the hashes are null until `rotate-keys.js` runs or the user's data
 * changes, because a migration does not have the key.
 */
export class AddProfileHashes1768700000000 implements MigrationInterface {
  /** An index cannot be created `concurrently` in a transaction. If the migration fails, it can be run again: each step can be repeated. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table profile add column if not exists email_hash text, add column if not exists phone_hash text',
    );
    for (const column of ['email_hash', 'phone_hash']) {
      await runner.query(`drop index concurrently if exists profile_${column}`);
      await runner.query(
        `create index concurrently profile_${column} on profile (${column}) where ${column} is not null`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table profile drop column email_hash, drop column phone_hash');
  }
}
