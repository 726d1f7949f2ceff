import { Injectable } from '@nestjs/common';
import { ENROLLMENT_SYNC, PAYMENT_RECEIVED } from '@tandem/contracts';
import { parseTimestamp } from '@tandem/http-api';
import { WebhookIngestConfig } from '../config';
import {
  type MeantEvent,
  meantEvent,
  type ReadWebhook,
  type ReceivedWebhook,
  type WebhookReader,
} from '../inbound-webhook/integration';
import { enrollmentSyncOf } from './enrollment-sync.rules';
import { type EventKeys, paymentReceived } from './payment-webhook-events';
import { PLAN_CHANGE_WEBHOOK_PATH } from './payment-webhook-paths';
import { type PaymentWebhook, readPaymentWebhook } from './payment-webhook.rules';

/** Reads the bodies of the billing provider's webhooks. */
@Injectable()
export class PaymentWebhookReader implements WebhookReader {
  readonly integration = 'payments';
  private readonly keys: EventKeys;

  constructor(config: WebhookIngestConfig) {
    const { EMAIL_HASH_KEY: email, COUPON_HASH_KEY: coupon, CHECKOUT_SIGNING_KEYS: checkout } = config;
    this.keys = { email, coupon, checkout };
  }

  read({ path, rawBody }: Pick<ReceivedWebhook, 'path' | 'rawBody'>): ReadWebhook {
    const onlyType = path === PLAN_CHANGE_WEBHOOK_PATH ? 'subscription.plan_changed' : undefined;
    const webhook = readPaymentWebhook(rawBody, onlyType);
    const { envelope, text, known } = webhook;
    const { id, type, timestamp } = envelope;
    const data = known?.data;
    return {
      identity: { id },
      type,
      occurredAt: parseTimestamp(timestamp),
      subscriptionId: data?.subscriptionId ?? null,
      userId: (data && 'customer' in data && data.customer.krn) || null,
      text,
      events: this.eventsOf(webhook),
    };
  }

  /** Returns `payment.received` and, for the types `subscription.*`, `enrollment.sync`. Returns no events for an unknown type. */
  private eventsOf({ envelope: { id, timestamp }, known }: PaymentWebhook): MeantEvent[] {
    if (!known) return [];
    const payment = paymentReceived(id, timestamp, known, this.keys);
    const sync = enrollmentSyncOf(payment);
    return [meantEvent(PAYMENT_RECEIVED, payment), ...(sync ? [meantEvent(ENROLLMENT_SYNC, sync)] : [])];
  }
}
