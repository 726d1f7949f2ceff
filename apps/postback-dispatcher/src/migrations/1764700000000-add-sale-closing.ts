import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds columns for the closing of a sale, that is, its refund or chargeback: see docs/decisions/0016. `sale_delivery` stores the closing,
 * even before the sale has a delivery. `delivery` stores it too, for transactions that lock only the row of the delivery.
 */
export class AddSaleClosing1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table sale_delivery alter column delivery_id drop not null,
         add column closed_by text check (closed_by in ('refunded', 'charged_back')), add column closed_at timestamptz,
         add check ((closed_by is null) = (closed_at is null)), add check (delivery_id is not null or closed_by is not null)`,
    );
    await runner.query(
      `alter table delivery add column closed_by text check (closed_by in ('refunded', 'charged_back')),
         add check (closed_by is null or status in ('delivered', 'failed'))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table delivery drop column closed_by');
    await runner.query('delete from sale_delivery where delivery_id is null');
    await runner.query(
      'alter table sale_delivery drop column closed_by, drop column closed_at, alter column delivery_id set not null',
    );
  }
}
