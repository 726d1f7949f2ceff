import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The kinds of partners. A `promotion` partner sells with its own discount; a `voucher` partner buys coupon codes. */
export const PARTNER_KINDS = ['promotion', 'voucher'] as const;
export type PartnerKind = (typeof PARTNER_KINDS)[number];

@Entity('partner')
export class Partner {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** A number that increases with each new partner. Lists of partners are sorted by this number. */
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

  /** A hash of the contact address, which can be compared with the `emailHash` of buyers in payment events. */
  @Column({ name: 'contact_email_hash', type: 'text', nullable: true })
  contactEmailHash!: string | null;

  @Column({ name: 'revoke_window_days', type: 'smallint' })
  revokeWindowDays!: number;

  /**
   * The maximum number of concurrent postbacks to each of the partner's endpoints, as postback-dispatcher last reported it. Null if the
   * platform's default applies.
   */
  @Column({ name: 'endpoint_concurrency', type: 'integer', nullable: true })
  endpointConcurrency!: number | null;

  /** The revision of `endpointConcurrency` in postback-dispatcher. An answer with a lower revision is outdated and ignored. */
  @Column({ name: 'endpoint_limits_revision', type: 'integer' })
  endpointLimitsRevision!: number;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
