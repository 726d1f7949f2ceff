import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One act of a partner manager. Never holds a token, a secret or a full e-mail address. */
@Entity('audit_entry')
export class AuditEntry {
  @PrimaryColumn({ type: 'bigint' })
  seq!: string;

  @Column({ type: 'timestamptz', insert: false })
  at!: Date;

  /** `sub` of the manager's token. */
  @Column({ type: 'text' })
  actor!: string;

  @Column({ type: 'text' })
  action!: string;

  @Column({ type: 'text' })
  entity!: string;

  @Column({ name: 'entity_id', type: 'text' })
  entityId!: string;

  @Column({ type: 'jsonb', nullable: true })
  before!: object | null;

  @Column({ type: 'jsonb', nullable: true })
  after!: object | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId!: string;
}
