import type { Environment } from '@tandem/contracts';
import type { VoucherGroupStatus } from '@tandem/internal-api';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A partner's stock of coupons for one product, with a period of validity. */
@Entity('voucher_group')
export class VoucherGroup {
  @PrimaryColumn('uuid')
  id!: string;

  /** A number that increases with each created group. Lists of groups are sorted by this number. */
  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ name: 'partner_id', type: 'text' })
  partnerId!: string;

  @Column({ type: 'text' })
  environment!: Environment;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  status!: VoucherGroupStatus;

  @Column({ name: 'product_name', type: 'text' })
  productName!: string;

  @Column({ name: 'product_tier', type: 'text' })
  productTier!: string;

  @Column({ name: 'product_period_months', type: 'integer' })
  productPeriodMonths!: number;

  @Column({ type: 'text' })
  currency!: string;

  /** How many coupons can be created in total; null for no limit. */
  @Column({ type: 'integer', nullable: true })
  stock!: number | null;

  @Column({ type: 'integer', insert: false })
  issued!: number;

  @Column({ type: 'integer', insert: false })
  redeemed!: number;

  @Column({ name: 'valid_from', type: 'timestamptz' })
  validFrom!: Date;

  /** When the group's coupons expire; null if they never expire. This time never changes, so an expired coupon never becomes active again. */
  @Column({ name: 'valid_until', type: 'timestamptz', nullable: true })
  validUntil!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', insert: false })
  createdAt!: Date;
}
