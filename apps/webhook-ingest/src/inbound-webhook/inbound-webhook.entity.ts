import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IntegrationName } from './integration';

/** A stored webhook, with its body exactly as received. */
@Entity({ name: 'inbound_webhook' })
export class InboundWebhook {
  /** For a payment webhook, the `id` in the body. For a webhook of the identity vendor, a UUID that this app generates. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  integration!: IntegrationName;

  @Column({ type: 'text' })
  type!: string;

  @Column({ name: 'received_at', type: 'timestamptz' })
  receivedAt!: Date;

  /** When the reported event happened, as given in the body; null if the body has no time. */
  @Column({ name: 'occurred_at', type: 'timestamptz', nullable: true })
  occurredAt!: Date | null;

  /** The id of the subscription. Null if the webhook does not concern a subscription, or if its type is unknown. */
  @Column({ name: 'subscription_id', type: 'text', nullable: true })
  subscriptionId!: string | null;

  /** The user's KRN (payments) or `arrayUserId` (array). Null for a payment webhook that names no user or whose type is unknown. */
  @Column({ name: 'user_id', type: 'text', nullable: true })
  userId!: string | null;

  /** The exact body, encrypted and bound to this row (see `bodyBinding`). */
  @Column({ name: 'body_encrypted', type: 'text' })
  bodyEncrypted!: string;

  /** The first 255 characters of the `webhook-id` header, by which the sender can find the webhook. Null if the request had none. */
  @Column({ name: 'webhook_id', type: 'text', nullable: true })
  webhookId!: string | null;

  /** The path on which the webhook was received. */
  @Column({ type: 'text' })
  path!: string;

  /** Whether the webhook was never published: its type was unknown when it was received, and no replay has published it since. */
  @Column({ name: 'is_ignored', type: 'boolean' })
  isIgnored!: boolean;

  /** When a replay last published the events of the webhook; null if no replay did. */
  @Column({ name: 'replayed_at', type: 'timestamptz', nullable: true })
  replayedAt!: Date | null;
}
