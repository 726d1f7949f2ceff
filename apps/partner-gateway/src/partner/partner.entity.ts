import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `promotion`: sells with its own discount. `voucher`: buys coupon codes. */
export const PARTNER_KINDS = ['promotion', 'voucher'] as const;
export type PartnerKind = (typeof PARTNER_KINDS)[number];

@Entity('partner')
export class Partner {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** Order of creation: what lists go by. */
  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  kind!: PartnerKind;

  @Column({ type: 'boolean' })
  active!: boolean;

  @Column({ name: 'contact_email_encrypted', type: 'text', nullable: true })
  contactEmailEncrypted!: string | null;

  /** Comparable with the buyers' `emailHash` in payment events. */
  @Column({ name: 'contact_email_hash', type: 'text', nullable: true })
  contactEmailHash!: string | null;

  @Column({ name: 'revoke_window_days', type: 'smallint' })
  revokeWindowDays!: number;

  /** Of postback-dispatcher's limits for the partner's endpoints, as last heard of; null: the platform's default. */
  @Column({ name: 'endpoint_concurrency', type: 'integer', nullable: true })
  endpointConcurrency!: number | null;

  /** The dispatcher's count of changes, by which an answer that comes late is known. */
  @Column({ name: 'endpoint_limits_revision', type: 'integer' })
  endpointLimitsRevision!: number;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
