import type { Environment } from '@tandem/contracts';
import type { PostbackAuthMethod } from '@tandem/internal-api';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Why an endpoint is disabled until its configuration is saved again or enabled. */
export type DisabledReason = 'endpoint_gone' | 'deliveries_exhausted';

/** A partner's postback configuration in one environment. */
@Entity({ name: 'endpoint' })
export class Endpoint {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { name: 'partner_id' })
  partnerId!: string;

  @Column('text')
  environment!: Environment;

  @Column('text')
  url!: string;

  @Column('text', { name: 'auth_method' })
  authMethod!: PostbackAuthMethod;

  @Column('text', { name: 'key_encrypted' })
  keyEncrypted!: string;

  @Column('text', { name: 'signing_secret_encrypted' })
  signingSecretEncrypted!: string;

  /** Encrypted JSON list of replaced secrets that still sign. */
  @Column('text', { name: 'previous_secrets_encrypted', nullable: true })
  previousSecretsEncrypted!: string | null;

  /** Increases with each new version of the configuration: a save, another limit of the partner, a new signing secret. */
  @Column('integer', { name: 'config_version' })
  configVersion!: number;

  @Column('text')
  status!: 'active' | 'disabled';

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: DisabledReason | null;

  /** Number of deliveries in a row that used up all their attempts or expired. */
  @Column('integer', { name: 'consecutive_exhausted' })
  consecutiveExhausted!: number;

  /** Maximum requests in flight that a manager set for the partner; null: the platform's default. */
  @Column('integer', { name: 'concurrency_max', nullable: true })
  concurrencyMax!: number | null;

  /** Whether the partner is notified of sales that were refunded or charged back. */
  @Column('boolean', { name: 'notify_closures' })
  notifyClosures!: boolean;

  /** The shard that the endpoint belongs to. Postgres generates it from the id. */
  @Column({ type: 'integer', insert: false, update: false })
  shard!: number;

  /** Number of pauses in a row; 0 when the endpoint is not failing. */
  @Column('integer', { name: 'breaker_level' })
  breakerLevel!: number;

  /** Nothing is sent to the endpoint before this time. */
  @Column('timestamptz', { name: 'blocked_until', nullable: true })
  blockedUntil!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}
