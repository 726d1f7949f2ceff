import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The actions of support. */
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

/** The actions that only read. */
export const READ_ACTIONS = ['user.search', 'user.read', 'audit.read'] as const satisfies readonly SupportAction[];

/** Returns whether an action only reads. */
export const isRead = (action: SupportAction): boolean => READ_ACTIONS.some((read) => read === action);

/**
 * The outcome of an action:
 * - `started`: the action is under way, or this app was killed or could not record the outcome. The action may or may not have been
 *   carried out.
 * - `succeeded`: the action was carried out.
 * - `refused`: the action was not carried out.
 * - `failed`: the vendor or idp-api failed or was too slow, the issuer's keys could not be read, or this app failed. The action may or
 *   may not have been carried out.
 */
export const OUTCOMES = ['started', 'succeeded', 'refused', 'failed'] as const;
export type ActOutcome = (typeof OUTCOMES)[number];

/** The details of an action: names of fields and filters, kinds of search keys, ids, counts and flags, never personal data. */
export type ActDetails = Readonly<Record<string, unknown>>;

/** One action of support: who did what to which user, when, why, and with which outcome. */
@Entity('audit_entry')
export class AuditEntry {
  @PrimaryColumn({ type: 'bigint' })
  seq!: string;

  /** The `sub` of the caller's token. */
  @Column({ type: 'text' })
  actor!: string;

  @Column({ type: 'text' })
  action!: SupportAction;

  /** The user's KRN; null for an action that does not concern a single user: a search, or a read of the list of all actions. */
  @Column({ type: 'text', nullable: true })
  krn!: string | null;

  /** The reason that the caller gave; null if the caller gave none. */
  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId!: string;

  @Column({ type: 'jsonb' })
  details!: ActDetails;

  @Column({ type: 'text' })
  outcome!: ActOutcome;

  /** The code of the error if the action was refused or failed; otherwise null. */
  @Column({ type: 'text', nullable: true })
  error!: string | null;

  @Column({ name: 'started_at', type: 'timestamptz' })
  startedAt!: Date;

  @Column({ name: 'finished_at', type: 'timestamptz', nullable: true })
  finishedAt!: Date | null;
}
