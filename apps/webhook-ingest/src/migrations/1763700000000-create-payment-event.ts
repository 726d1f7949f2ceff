import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePaymentEvent1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table payment_event (
        id text primary key,
        type text not null,
        received_at timestamptz not null,
        occurred_at timestamptz not null,
        subscription_id text,
        body_encrypted text not null,
        webhook_id text,
        path text not null
      )`);
    // The column is not compressed, because ciphertext does not become smaller and trying costs time.
    await runner.query('alter table payment_event alter column body_encrypted set storage external');
    // Rows are inserted and deleted in the order of time. A BRIN index therefore needs only a few pages for millions of rows.
    await runner.query('create index payment_event_received_at on payment_event using brin (received_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table payment_event');
  }
}
