import type { Environment } from '@tandem/contracts';
import type { PostbackAuthMethod } from '@tandem/internal-api';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Why an endpoint is disabled. The endpoint stays disabled until its configuration is saved again, or a manager enables it. */
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

  /** An encrypted JSON list of replaced signing secrets, each with the time until which it signs; null before the first rotation. */
  @Column('text', { name: 'previous_secrets_encrypted', nullable: true })
  previousSecretsEncrypted!: string | null;

  /**
   * The version of the configuration. It increases when the configuration is saved or enabled, and when the partner's limit or the signing
   * secret changes.
   */
  @Column('integer', { name: 'config_version' })
  configVersion!: number;

  @Column('text')
  status!: 'active' | 'disabled';

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: DisabledReason | null;

  /** The number of deliveries in a row that used up all their attempts or expired. */
  @Column('integer', { name: 'consecutive_exhausted' })
  consecutiveExhausted!: number;

  /** The maximum requests in flight to the endpoint, which a manager set for the partner; null means the platform's default. */
  @Column('integer', { name: 'concurrency_max', nullable: true })
  concurrencyMax!: number | null;

  /**
   * Whether the partner is notified when a sale is refunded or charged back. Only sales whose postback the endpoint accepted, or may have
   * accepted, cause such a notice.
   */
  @Column('boolean', { name: 'notify_closures' })
  notifyClosures!: boolean;

  /** The shard of the endpoint. Postgres generates it from the id. */
  @Column({ type: 'integer', insert: false, update: false })
  shard!: number;

  /** The number of pauses in a row, without a success in between; 0 when the breaker is closed. */
  @Column('integer', { name: 'breaker_level' })
  breakerLevel!: number;

  /** When the endpoint's last pause ends. No delivery is sent to the endpoint before this time. */
  @Column('timestamptz', { name: 'blocked_until', nullable: true })
  blockedUntil!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}
