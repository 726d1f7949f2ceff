import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What support can do. */
export const SUPPORT_ACTIONS = [
  'user.search',
  'user.read',
  'user.update',
  'user.delete',
  'user.enroll',
  'user.sync',
  'user.unlock',
  'audit.read',
] as const;
export type SupportAction = (typeof SUPPORT_ACTIONS)[number];

/**
 * What came of an act. `started`: it is under way, or this app died during it, and it may have been done or not. `refused`: nothing
 * was changed. `failed`: an answer did not come, and it may have been done or not.
 */
export const OUTCOMES = ['started', 'succeeded', 'refused', 'failed'] as const;
export type ActOutcome = (typeof OUTCOMES)[number];

/** Of an act: names of fields and ids, never personal data. */
export type ActDetails = Readonly<Record<string, unknown>>;

/** One act of support: who did what to whom, when, why, and what came of it. */
@Entity('audit_entry')
export class AuditEntry {
  @PrimaryColumn({ type: 'bigint' })
  seq!: string;

  /** `sub` of the token. */
  @Column({ type: 'text' })
  actor!: string;

  @Column({ type: 'text' })
  action!: SupportAction;

  /** The user whom it was about; null for an act about no single user: a search, or a list of what staff did. */
  @Column({ type: 'text', nullable: true })
  krn!: string | null;

  /** As the caller said. */
  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId!: string;

  @Column({ type: 'jsonb' })
  details!: ActDetails;

  @Column({ type: 'text' })
  outcome!: ActOutcome;

  /** The code of what it was refused with, or failed with. */
  @Column({ type: 'text', nullable: true })
  error!: string | null;

  @Column({ name: 'started_at', type: 'timestamptz' })
  startedAt!: Date;

  @Column({ name: 'finished_at', type: 'timestamptz', nullable: true })
  finishedAt!: Date | null;
}
