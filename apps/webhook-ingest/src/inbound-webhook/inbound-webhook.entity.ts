import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IntegrationName } from './integration';

/** A stored webhook, with its body as received. */
@Entity({ name: 'inbound_webhook' })
export class InboundWebhook {
  /** The `id` in the body or, for a body without an `id`, a UUID that this app generates. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  integration!: IntegrationName;

  @Column({ type: 'text' })
  type!: string;

  @Column({ name: 'received_at', type: 'timestamptz' })
  receivedAt!: Date;

  /** The time in the body; null if the body has no time. */
  @Column({ name: 'occurred_at', type: 'timestamptz', nullable: true })
  occurredAt!: Date | null;

  /** The id of the subscription; null for a webhook that is not about a subscription, or whose type is unknown. */
  @Column({ name: 'subscription_id', type: 'text', nullable: true })
  subscriptionId!: string | null;

  /** The user's KRN (payments) or `arrayUserId` (array); null if the webhook names no user. */
  @Column({ name: 'user_id', type: 'text', nullable: true })
  userId!: string | null;

  /** The exact body, encrypted. It is bound to the row: see `bodyBinding`. */
  @Column({ name: 'body_encrypted', type: 'text' })
  bodyEncrypted!: string;

  /** The `webhook-id` header, for questions to the integration; null when the request had none. */
  @Column({ name: 'webhook_id', type: 'text', nullable: true })
  webhookId!: string | null;

  /** The path on which the webhook was received. */
  @Column({ type: 'text' })
  path!: string;

  /** Whether the type was unknown when the webhook was received, so that nothing was published. */
  @Column({ name: 'is_ignored', type: 'boolean' })
  isIgnored!: boolean;

  /** When the events of the webhook were last published again. */
  @Column({ name: 'replayed_at', type: 'timestamptz', nullable: true })
  replayedAt!: Date | null;
}
