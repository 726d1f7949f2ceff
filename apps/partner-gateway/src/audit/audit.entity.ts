import { AnyObjectField, EnumField, TextField, TimeField } from '@tandem/http-api';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const ENTITIES = [
  'partner',
  'partner_token',
  'promotion',
  'sale',
  'voucher_group',
  'postback',
  'delivery',
  'statistics',
  'portal_link',
  'application',
] as const;
export type AuditedEntity = (typeof ENTITIES)[number];

/**
 * An action of a partner manager or of a partner. Partners' actions are: to open or end a portal session, to save the postback
 * configuration, and to replace the signing secret. An entry contains no token, signing secret or full e-mail address, unless somebody wrote
 * one into a free text, such as a name, a note or the URL of an endpoint. Managers see the properties that have a field decorator, and `seq`
 * as `id`.
 */
@Entity('audit_entry')
export class AuditEntry {
  @PrimaryColumn({ type: 'bigint' })
  seq!: string;

  @Column({ type: 'timestamptz', insert: false })
  @TimeField()
  at!: Date;

  @Column({ type: 'text' })
  @TextField({
    example: 'manager-1',
    description:
      'Who did it: the subject of a manager’s token. For a partner: `portal-link:` or `token:`, followed by the id of the link or token that it used',
  })
  actor!: string;

  @Column({ name: 'request_id', type: 'text' })
  @TextField({ example: 'order-1-attempt-1' })
  requestId!: string;

  @Column({ type: 'text' })
  @TextField({ example: 'promotion.changed' })
  action!: string;

  @Column({ type: 'text' })
  @EnumField(ENTITIES, { example: 'promotion' })
  entity!: AuditedEntity;

  @Column({ name: 'entity_id', type: 'text' })
  @TextField({ example: 'prm_0f8fad5bd9cb469fa16570867728950e' })
  entityId!: string;

  @Column({ type: 'jsonb', nullable: true })
  @AnyObjectField({ nullable: true, example: { active: true } })
  before!: object | null;

  @Column({ type: 'jsonb', nullable: true })
  @AnyObjectField({ nullable: true, example: { active: false } })
  after!: object | null;
}
