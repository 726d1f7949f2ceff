import type { Environment, RevokeReason, SaleItem } from '@tandem/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UnattributedReason } from './attribution.rules';

/** The states of a partner's sale. */
export const SALE_STATUSES = ['pending', 'held', 'qualified', 'failed', 'revoked', 'refunded', 'charged_back'] as const;
/**
 * `unattributed`: what is known of a subscription that is no partner's sale so far, for example that it was refunded. Partners never
 * see it; managers do when they ask for the status or for the subscription's id.
 */
export const ALL_SALE_STATUSES = [...SALE_STATUSES, 'unattributed'] as const;
export type SaleStatus = (typeof ALL_SALE_STATUSES)[number];

export type PaymentStatus = 'captured' | 'pending' | 'failed';
export type ClosedBy = 'refunded' | 'charged_back';
export type HoldReason = 'buyer_is_partner' | 'disposable_email' | 'too_many_sales';
export type HoldDecision = 'released' | 'refused';
export type FailureReason = 'payment_failed' | 'nothing_paid' | 'partner_inactive' | 'refused';

/** A sale, and the facts that payment events told about its subscription. */
@Entity('sale')
export class Sale {
  /** The subscription's id. */
  @PrimaryColumn({ type: 'text' })
  oid!: string;

  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ type: 'text' })
  status!: SaleStatus;

  /** Of the last event that was published about it. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ name: 'partner_id', type: 'text', nullable: true })
  partnerId!: string | null;

  @Column({ name: 'promotion_id', type: 'text', nullable: true })
  promotionId!: string | null;

  @Column({ type: 'text', nullable: true })
  environment!: Environment | null;

  @Column({ name: 'shared_id', type: 'text', nullable: true })
  sharedId!: string | null;

  @Column({ name: 'attributed_by', type: 'text', nullable: true })
  attributedBy!: 'checkout' | 'code' | null;

  @Column({ name: 'attributed_at', type: 'timestamptz', nullable: true })
  attributedAt!: Date | null;

  /** Why the newest purchase is nobody's sale; null for a partner's sale, and while only a refund is known. */
  @Column({ name: 'unattributed_reason', type: 'text', nullable: true })
  unattributedReason!: UnattributedReason | null;

  /** The newest purchase's, as are the following ones until the sale has qualified. */
  @Column({ name: 'payment_status', type: 'text', nullable: true })
  paymentStatus!: PaymentStatus | null;

  /** The provider's time of that purchase. */
  @Column({ name: 'sold_at', type: 'timestamptz', nullable: true })
  soldAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  amount!: string | null;

  @Column({ type: 'text', nullable: true })
  currency!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  items!: SaleItem[] | null;

  @Column({ name: 'email_masked', type: 'text', nullable: true })
  emailMasked!: string | null;

  @Column({ name: 'email_hash', type: 'text', nullable: true })
  emailHash!: string | null;

  /** The newest refund or charge-back. */
  @Column({ name: 'closed_by', type: 'text', nullable: true })
  closedBy!: ClosedBy | null;

  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  closedAt!: Date | null;

  /** Why it was held, also after the hold is over. */
  @Column({ name: 'hold_reason', type: 'text', nullable: true })
  holdReason!: HoldReason | null;

  @Column({ name: 'hold_decision', type: 'text', nullable: true })
  holdDecision!: HoldDecision | null;

  @Column({ name: 'failure_reason', type: 'text', nullable: true })
  failureReason!: FailureReason | null;

  @Column({ name: 'qualified_at', type: 'timestamptz', nullable: true })
  qualifiedAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  @Column({ name: 'revoke_reason', type: 'text', nullable: true })
  revokeReason!: RevokeReason | null;

  @Column({ name: 'revoke_note', type: 'text', nullable: true })
  revokeNote!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', insert: false, update: false })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', insert: false })
  updatedAt!: Date;
}
