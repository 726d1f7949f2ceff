import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `promotion`: sells with its own discount. `voucher`: buys coupon codes. */
export const PARTNER_KINDS = ['promotion', 'voucher'] as const;
export type PartnerKind = (typeof PARTNER_KINDS)[number];

@Entity('partner')
export class Partner {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** The order of creation, by which lists are sorted. */
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

  /** A hash that can be compared with the `emailHash` of buyers in payment events. */
  @Column({ name: 'contact_email_hash', type: 'text', nullable: true })
  contactEmailHash!: string | null;

  @Column({ name: 'revoke_window_days', type: 'smallint' })
  revokeWindowDays!: number;

  /** postback-dispatcher's limit for the partner's endpoints, as last received; null for the platform's default. */
  @Column({ name: 'endpoint_concurrency', type: 'integer', nullable: true })
  endpointConcurrency!: number | null;

  /** postback-dispatcher's revision of the limit. An answer with a lower revision is outdated. */
  @Column({ name: 'endpoint_limits_revision', type: 'integer' })
  endpointLimitsRevision!: number;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
