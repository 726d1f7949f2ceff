import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets the relay read the outbox topic by topic, so that the backlog of a topic that cannot be published does not slow
 * down other topics.
 */
export class IndexOutboxByTopic1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox DROP CONSTRAINT outbox_pkey, ADD PRIMARY KEY (topic, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox DROP CONSTRAINT outbox_pkey, ADD PRIMARY KEY (id)');
  }
}
