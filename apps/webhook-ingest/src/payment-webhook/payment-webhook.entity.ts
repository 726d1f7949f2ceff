import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One webhook of the billing provider, kept as it came. */
@Entity({ name: 'payment_event' })
export class PaymentEvent {
  /** The body's `id`: a duplicate has the same. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  type!: string;

  @Column({ name: 'received_at', type: 'timestamptz' })
  receivedAt!: Date;

  /** The body's `timestamp`. */
  @Column({ name: 'occurred_at', type: 'timestamptz' })
  occurredAt!: Date;

  /** Null for a type that is not understood. */
  @Column({ name: 'subscription_id', type: 'text', nullable: true })
  subscriptionId!: string | null;

  /** The body's text, exactly; bound to the row `payment_event:<id>`. */
  @Column({ name: 'body_encrypted', type: 'text' })
  bodyEncrypted!: string;

  /** The `webhook-id` header, for asking the provider; null with a bearer token. */
  @Column({ name: 'webhook_id', type: 'text', nullable: true })
  webhookId!: string | null;

  /** The path it came by. */
  @Column({ type: 'text' })
  path!: string;
}
