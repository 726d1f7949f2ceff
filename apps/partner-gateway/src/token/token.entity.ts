import type { PartnerScope } from '@tandem/auth';
import type { Environment } from '@tandem/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A partner token. The token itself is not here: only its hash. */
@Entity('partner_token')
export class PartnerToken {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ name: 'partner_id', type: 'text' })
  partnerId!: string;

  @Column({ type: 'text' })
  environment!: Environment;

  @Column({ type: 'text', array: true })
  scopes!: PartnerScope[];

  /** SHA-256 of the token. */
  @Column({ type: 'bytea', select: false })
  hash!: Buffer;

  @Column({ type: 'text' })
  last4!: string;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  /** The token that a rotation made in its stead. */
  @Column({ name: 'replaced_by', type: 'text', nullable: true })
  replacedBy!: string | null;

  /** At most a minute behind. */
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
