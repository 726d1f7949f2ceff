import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IntegrationName } from './integration';

/** One webhook, stored as received. */
@Entity({ name: 'inbound_webhook' })
export class InboundWebhook {
  /** The `id` in the body; for a body without one, a UUID that we generate. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  integration!: IntegrationName;

  @Column({ type: 'text' })
  type!: string;

  @Column({ name: 'received_at', type: 'timestamptz' })
  receivedAt!: Date;

  /** The time in the body; null where it has none. */
  @Column({ name: 'occurred_at', type: 'timestamptz', nullable: true })
  occurredAt!: Date | null;

  /** Null for a webhook that is not about a subscription, or of an unknown type. */
  @Column({ name: 'subscription_id', type: 'text', nullable: true })
  subscriptionId!: string | null;

  /** The user's KRN (payments) or `arrayUserId` (array); null where the webhook names no user. */
  @Column({ name: 'user_id', type: 'text', nullable: true })
  userId!: string | null;

  /** The exact body. It is bound to the row, see `bodyBinding`. */
  @Column({ name: 'body_encrypted', type: 'text' })
  bodyEncrypted!: string;

  /** The `webhook-id` header, for questions to the integration; null when the request had none. */
  @Column({ name: 'webhook_id', type: 'text', nullable: true })
  webhookId!: string | null;

  /** The path on which it was received. */
  @Column({ type: 'text' })
  path!: string;

  /** Its type was unknown when it was received, so nothing was published. */
  @Column({ name: 'is_ignored', type: 'boolean' })
  isIgnored!: boolean;

  /** When its events were last published again. */
  @Column({ name: 'replayed_at', type: 'timestamptz', nullable: true })
  replayedAt!: Date | null;
}
