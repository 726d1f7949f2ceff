import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes the outcome of an action final. The app's role may update the outcome columns. This trigger refuses the update when the row's
 * outcome is no longer `started`, because column privileges cannot depend on the row.
 */
export class RefuseChangesOfFinishedEntries1766000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function refuse_change_of_finished_entry() returns trigger language plpgsql as $$
      begin
        raise exception 'the audit entry % is finished', old.seq using errcode = 'insufficient_privilege';
      end $$`);
    await runner.query(`
      create trigger audit_entry_finished before update on audit_entry
        for each row when (old.outcome <> 'started') execute function refuse_change_of_finished_entry()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger audit_entry_finished on audit_entry');
    await runner.query('drop function refuse_change_of_finished_entry()');
  }
}
