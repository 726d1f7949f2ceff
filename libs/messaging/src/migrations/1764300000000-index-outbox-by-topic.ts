import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The relay reads topic by topic: the backlog of one that cannot be published now costs the others nothing. */
export class IndexOutboxByTopic1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox DROP CONSTRAINT outbox_pkey, ADD PRIMARY KEY (topic, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox DROP CONSTRAINT outbox_pkey, ADD PRIMARY KEY (id)');
  }
}
