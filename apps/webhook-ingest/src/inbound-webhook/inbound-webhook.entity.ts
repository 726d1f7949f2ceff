import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IntegrationName } from './integration';

/** One webhook, kept as it came. */
@Entity({ name: 'inbound_webhook' })
export class InboundWebhook {
  /** The body's own `id`; of a body without one, a UUID of ours. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  integration!: IntegrationName;

  @Column({ type: 'text' })
  type!: string;

  @Column({ name: 'received_at', type: 'timestamptz' })
  receivedAt!: Date;

  /** The body's own time; null where it has none. */
  @Column({ name: 'occurred_at', type: 'timestamptz', nullable: true })
  occurredAt!: Date | null;

  /** Null for a webhook that is not of a subscription, or not understood. */
  @Column({ name: 'subscription_id', type: 'text', nullable: true })
  subscriptionId!: string | null;

  /** The user's KRN (payments) or `arrayUserId` (array); null where the webhook names no user. */
  @Column({ name: 'user_id', type: 'text', nullable: true })
  userId!: string | null;

  /** The body's text, exactly; bound to the row: see `bodyBinding`. */
  @Column({ name: 'body_encrypted', type: 'text' })
  bodyEncrypted!: string;

  /** The `webhook-id` header, for asking the integration; null where none came. */
  @Column({ name: 'webhook_id', type: 'text', nullable: true })
  webhookId!: string | null;

  /** The path it came by. */
  @Column({ type: 'text' })
  path!: string;

  /** Its type was not understood when it came, and nothing was published. */
  @Column({ name: 'is_ignored', type: 'boolean' })
  isIgnored!: boolean;

  /** When its events were last published again. */
  @Column({ name: 'replayed_at', type: 'timestamptz', nullable: true })
  replayedAt!: Date | null;
}
