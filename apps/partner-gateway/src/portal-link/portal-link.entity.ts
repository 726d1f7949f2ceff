import { ENVIRONMENTS, type Environment } from '@tandem/contracts';
import { EnumField, FlagField, TextField, TimeField } from '@tandem/http-api';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { PARTNER_ID } from '../partner/partner.dto';

/** Returns the query for the end of a link's session. `least` ignores nulls: a session that nobody has ended ends when it expires. */
const sessionEndOf = (link: string): string =>
  `select least(expires_at, revoked_at) from partner_token where portal_link_id = ${link}.id`;

/**
 * A link with which a partner opens its portal once. Only the hash of the link's code is stored. Managers see only the properties that have
 * a field decorator.
 */
@Entity('portal_link')
export class PortalLink {
  @PrimaryColumn({ type: 'text' })
  @TextField({ example: 'plk_9f2c1d7e5b3a4c6d8e0f1a2b3c4d5e6f' })
  id!: string;

  @Column({ type: 'bigint', insert: false, update: false })
  seq!: string;

  @Column({ name: 'partner_id', type: 'text' })
  @TextField({ example: PARTNER_ID })
  partnerId!: string;

  @Column({ type: 'text', nullable: true })
  @TextField({ nullable: true, example: 'Anna, accounting', description: 'Whom the link is for' })
  name!: string | null;

  @Column({ type: 'text' })
  @EnumField(ENVIRONMENTS, { description: 'The environment that its session sees' })
  environment!: Environment;

  @Column({ name: 'read_only', type: 'boolean' })
  @FlagField({ example: false, description: 'Whether its session can only read' })
  readOnly!: boolean;

  /** The SHA-256 hash of the code. */
  @Column({ name: 'code_hash', type: 'bytea', select: false })
  codeHash!: Buffer;

  @Column({ name: 'created_by', type: 'text' })
  @TextField({ example: 'manager-1', description: 'The manager who created the link' })
  createdBy!: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  @TimeField()
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @TimeField({ description: 'The time until which the link can be opened' })
  expiresAt!: Date;

  @Column({ name: 'used_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true, description: 'When the link was opened' })
  usedAt!: Date | null;

  /** Read from the session's token, because a partner who ends its session changes only the token. */
  @VirtualColumn({ type: 'timestamptz', query: sessionEndOf })
  @TimeField({
    nullable: true,
    description:
      'The end of the session: the time when the partner or a manager ended it, or else the time at which it expires. Null until the link is opened',
  })
  sessionEndsAt!: Date | null;

  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  @TimeField({ nullable: true, description: 'When a manager ended the link and its session' })
  endedAt!: Date | null;
}
