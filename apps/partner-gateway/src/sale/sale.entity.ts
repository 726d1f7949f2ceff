import { type Environment, ENVIRONMENTS, type RevokeReason, type SaleItem } from '@tandem/contracts';
import { EnumField, IntegerField, ListField, ObjectField, TextField, TimeField } from '@tandem/http-api';
import { ApiSchema } from '@nestjs/swagger';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PARTNER_ID } from '../partner/partner.dto';
import type { UnattributedReason } from './attribution.rules';

/** The statuses that a partner's sale can have. */
export const SALE_STATUSES = ['pending', 'held', 'qualified', 'failed', 'revoked', 'refunded', 'charged_back'] as const;
/**
 * All statuses of a row. A row with the status `unattributed` stores the known facts about a subscription that is not (yet) a partner's
 * sale, for example that the subscription was refunded. Partners never see such rows. Managers see these rows when they filter by this
 * status or by the subscription's id, and in the story of a sale.
 */
export const ALL_SALE_STATUSES = [...SALE_STATUSES, 'unattributed'] as const;
export type SaleStatus = (typeof ALL_SALE_STATUSES)[number];

export type PaymentStatus = 'captured' | 'pending' | 'failed';
export type ClosedBy = 'refunded' | 'charged_back';
/** The fraud rules that hold a sale. */
export const HOLD_REASONS = ['buyer_is_partner', 'disposable_email', 'too_many_sales'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];
export type HoldDecision = 'released' | 'refused';
export type FailureReason = 'payment_failed' | 'nothing_paid' | 'partner_inactive' | 'refused';

/** One item of a sale, in the form of the postback. */
@ApiSchema({ name: 'SaleItem' })
class SaleItemView implements SaleItem {
  @TextField({ pattern: /^\d+\.\d{2}$/, example: '49.95' })
  price!: string;

  @TextField({ pattern: /^\d+$/, example: '1' })
  quantity!: string;

  @TextField({ example: 'Advanced, 1 year' })
  category!: string;

  @TextField({ example: 'advanced', description: 'Empty when there is none' })
  tier!: string;

  @EnumField(['Sell'])
  sku!: 'Sell';
}

/** Another sale of the same buyer. */
@ApiSchema({ name: 'SaleOfBuyer' })
class SaleOfBuyer {
  @TextField({ example: 'sub-1000' })
  oid!: string;

  @TimeField({ example: '2026-03-01T11:58:00.000Z' })
  soldAt!: string;
}

/** The evidence on which a fraud rule held a sale. */
@ApiSchema({ name: 'HoldEvidence' })
export class HoldEvidence {
  @TextField({ nullable: true, description: 'For `disposable_email`: the domain of the buyer’s e-mail address' })
  domain!: string | null;

  @IntegerField({
    nullable: true,
    example: 5,
    description: 'For `too_many_sales`: the number of sales that a buyer may have in an hour',
  })
  maxSalesPerHour!: number | null;

  @ListField(() => SaleOfBuyer, {
    description: 'For `too_many_sales`: the buyer’s other sales that are nearest in time',
  })
  sales!: SaleOfBuyer[];
}

/**
 * A sale, and the facts about its subscription that payment events have reported. Managers see the properties that have a field decorator.
 * The JSON lines export also contains `version`, as `sequence`.
 */
@Entity('sale')
export class Sale {
  /** The subscription's id. */
  @PrimaryColumn({ type: 'text' })
  @TextField({ example: 'sub-1001', description: "The subscription's id" })
  oid!: string;

  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ type: 'text' })
  @EnumField(ALL_SALE_STATUSES, { example: 'held' })
  status!: SaleStatus;

  /** A number that increases with each event that is published about this sale. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ name: 'partner_id', type: 'text', nullable: true })
  @TextField({ nullable: true, example: PARTNER_ID })
  partnerId!: string | null;

  @Column({ name: 'promotion_id', type: 'text', nullable: true })
  @TextField({ nullable: true, example: 'prm_0f8fad5bd9cb469fa16570867728950e' })
  promotionId!: string | null;

  @Column({ type: 'text', nullable: true })
  @EnumField(ENVIRONMENTS, { nullable: true, example: 'live' })
  environment!: Environment | null;

  @Column({ name: 'shared_id', type: 'text', nullable: true })
  @TextField({ nullable: true, example: 'order-1', description: "The partner's own reference" })
  sharedId!: string | null;

  @Column({ name: 'attributed_by', type: 'text', nullable: true })
  @TextField({
    nullable: true,
    example: 'checkout',
    description:
      'What attributed the sale: `checkout` (the signed token of a checkout URL) or `code` (a promotion code)',
  })
  attributedBy!: 'checkout' | 'code' | null;

  @Column({ name: 'attributed_at', type: 'timestamptz', nullable: true })
  attributedAt!: Date | null;

  /** Why the stored purchase is not a partner's sale. Null for a partner's sale, before any purchase, and in rows of older versions. */
  @Column({ name: 'unattributed_reason', type: 'text', nullable: true })
  @TextField({ nullable: true, description: 'Why the purchase is not a partner’s sale' })
  unattributedReason!: UnattributedReason | null;

  /**
   * The properties from `paymentStatus` to `emailHash` describe the newest captured purchase or, if no purchase was captured, the newest
   * purchase. They no longer change once the sale has qualified.
   */
  @Column({ name: 'payment_status', type: 'text', nullable: true })
  @TextField({
    nullable: true,
    example: 'captured',
    description:
      '`captured` if a purchase was captured. Otherwise the status of the newest purchase: `pending` or `failed`',
  })
  paymentStatus!: PaymentStatus | null;

  /** The time of the purchase, as the payment provider reports it. */
  @Column({ name: 'sold_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true, example: '2026-03-01T12:00:00.000Z' })
  soldAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  @TextField({ nullable: true, example: '49.95', description: 'A decimal number with at most two decimal places' })
  amount!: string | null;

  @Column({ type: 'text', nullable: true })
  @TextField({ nullable: true, example: 'USD', description: 'ISO 4217' })
  currency!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  @ListField(() => SaleItemView, { nullable: true })
  items!: SaleItem[] | null;

  @Column({ name: 'email_masked', type: 'text', nullable: true })
  @TextField({ nullable: true, example: 'j***e@example.com' })
  emailMasked!: string | null;

  @Column({ name: 'email_hash', type: 'text', nullable: true })
  emailHash!: string | null;

  /** How the subscription was closed most recently: by a refund or by a chargeback. */
  @Column({ name: 'closed_by', type: 'text', nullable: true })
  @TextField({
    nullable: true,
    description: '`refunded` or `charged_back`, even if that was reported before the purchase',
  })
  closedBy!: ClosedBy | null;

  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true })
  closedAt!: Date | null;

  /** Why the sale was held. The reason is kept after a manager's decision. */
  @Column({ name: 'hold_reason', type: 'text', nullable: true })
  @EnumField(HOLD_REASONS, { nullable: true, example: 'too_many_sales', description: 'Why the sale is or was held' })
  holdReason!: HoldReason | null;

  @Column({ name: 'hold_evidence', type: 'jsonb', nullable: true })
  @ObjectField(() => HoldEvidence, {
    nullable: true,
    description:
      'What the fraud rule found. Null if the sale was never held, if `holdReason` is `buyer_is_partner`, or if the sale was held before evidence was stored',
  })
  holdEvidence!: HoldEvidence | null;

  @Column({ name: 'hold_decision', type: 'text', nullable: true })
  @TextField({ nullable: true, description: 'The decision on the held sale' })
  holdDecision!: HoldDecision | null;

  @Column({ name: 'hold_note', type: 'text', nullable: true })
  @TextField({ nullable: true, description: 'The note of the manager who decided' })
  holdNote!: string | null;

  @Column({ name: 'failure_reason', type: 'text', nullable: true })
  @TextField({ nullable: true, description: 'Why the sale has failed' })
  failureReason!: FailureReason | null;

  @Column({ name: 'qualified_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true })
  qualifiedAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true })
  revokedAt!: Date | null;

  @Column({ name: 'revoke_reason', type: 'text', nullable: true })
  @TextField({ nullable: true })
  revokeReason!: RevokeReason | null;

  @Column({ name: 'revoke_note', type: 'text', nullable: true })
  @TextField({ nullable: true })
  revokeNote!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', insert: false, update: false })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', insert: false })
  updatedAt!: Date;
}
