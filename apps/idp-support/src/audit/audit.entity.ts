import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What support can do with a user. */
export const SUPPORT_ACTIONS = [
  'user.read',
  'user.update',
  'user.delete',
  'user.enroll',
  'user.sync',
  'user.unlock',
] as const;
export type SupportAction = (typeof SUPPORT_ACTIONS)[number];

/**
 * What came of an act. `started`: it is under way, or this app died during it, and it may have been done or not. `refused`: nothing
 * was changed. `failed`: an answer did not come, and it may have been done or not.
 */
export type ActOutcome = 'started' | 'succeeded' | 'refused' | 'failed';

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

  /** The user whom it was about. */
  @Column({ type: 'text' })
  krn!: string;

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
