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
    // A ciphertext does not compress: trying costs time and gains nothing.
    await runner.query('alter table payment_event alter column body_encrypted set storage external');
    // Rows come in the order of time and go in the order of time: a few pages of index for millions of them.
    await runner.query('create index payment_event_received_at on payment_event using brin (received_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table payment_event');
  }
}
