import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of an app that publishes or handles events. */
export class CreateMessagingTables1732060800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The outbox is a queue whose rows live for milliseconds. So vacuum must start at a fixed number of dead rows, and
    // not when dead rows reach a share of the table.
    await runner.query(`
      CREATE TABLE outbox (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        event_id   uuid NOT NULL,
        topic      text NOT NULL,
        key        text NOT NULL,
        payload    bytea NOT NULL,
        headers    json NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
              autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000)`);
    await runner.query(`
      CREATE TABLE inbox (
        consumer   text NOT NULL,
        event_id   uuid NOT NULL,
        handled_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (consumer, event_id)
      )`);
    // Inbox rows arrive in time order, so a block range index finds old rows, and costs almost nothing when rows are
    // inserted.
    await runner.query(`CREATE INDEX inbox_handled_at ON inbox USING brin (handled_at) WITH (pages_per_range = 32)`);
    await runner.query(`
      CREATE TABLE dead_letter (
        id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        consumer            text NOT NULL,
        event_id            uuid NOT NULL,
        topic               text NOT NULL,
        "partition"         integer NOT NULL,
        "offset"            bigint NOT NULL,
        key                 text,
        headers             json NOT NULL,
        payload             bytea,
        reason              text NOT NULL,
        attempts            integer NOT NULL,
        failed_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
        replay_requested_at timestamptz,
        replayed_at         timestamptz,
        UNIQUE (consumer, event_id)
      )`);
    await runner.query(`
      CREATE INDEX dead_letter_replay_requested ON dead_letter (consumer, id) WHERE replay_requested_at IS NOT NULL`);
    await runner.query(`
      CREATE TABLE entity_version (
        entity     text PRIMARY KEY,
        version    bigint NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE entity_version, dead_letter, inbox, outbox');
  }
}
