import { PARTNER_SCOPES, type PartnerScope } from '@tandem/auth';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { EnumField, EnumListField, TextField, TimeField } from '@tandem/http-api';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PARTNER_ID } from '../partner/partner.dto';

/** A partner token. Only the hash of the token text is stored. Managers see only the properties that have a field decorator. */
@Entity('partner_token')
export class PartnerToken {
  @PrimaryColumn({ type: 'text' })
  @TextField({ example: 'tok_550e8400e29b41d4a716446655440000' })
  id!: string;

  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ name: 'partner_id', type: 'text' })
  @TextField({ example: PARTNER_ID })
  partnerId!: string;

  @Column({ type: 'text', nullable: true })
  @TextField({
    nullable: true,
    example: 'Web shop',
    description: 'What the token is for. A successor has the same name',
  })
  name!: string | null;

  @Column({ type: 'text' })
  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @Column({ type: 'text', array: true })
  @EnumListField(PARTNER_SCOPES, { example: ['checkout:create', 'sales:revoke'] })
  scopes!: PartnerScope[];

  /** The SHA-256 hash of the token text. */
  @Column({ type: 'bytea', select: false })
  hash!: Buffer;

  @Column({ type: 'text' })
  @TextField({ example: 'w3Kd', description: 'The last 4 characters, which help people to distinguish tokens' })
  last4!: string;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true })
  revokedAt!: Date | null;

  @Column({ name: 'replaced_by', type: 'text', nullable: true })
  @TextField({ nullable: true, description: 'The id of the successor, if the token was rotated or replaced' })
  replacedBy!: string | null;

  @Column({ name: 'portal_link_id', type: 'text', nullable: true })
  @TextField({
    nullable: true,
    description: 'For the token of a portal session: the id of the portal link that opened it',
  })
  portalLinkId!: string | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true, description: 'Updated about once a minute' })
  lastUsedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  @TimeField()
  createdAt!: Date;
}
