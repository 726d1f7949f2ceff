import { Injectable, Logger } from '@nestjs/common';
import { FieldCipher } from '@tandem/database';
import { parseTimestamp, ValidationFailedError } from '@tandem/service-defaults';
import { WebhookIngestConfig } from '../config';
import type { PaymentEvent } from './payment-webhook.entity';
import { type HashKeys, paymentReceived } from './payment-webhook.events';
import { PLAN_CHANGE_WEBHOOK_PATH } from './payment-webhook.paths';
import { type PaymentWebhook, readPaymentWebhook } from './payment-webhook.rules';
import { type NewWebhook, PaymentWebhookStore, type WebhookOutcome } from './payment-webhook.store';

/** A webhook whose caller is known to be the billing provider. */
export interface ReceivedPaymentWebhook {
  readonly path: string;
  readonly rawBody: Buffer;
  /** The `webhook-id` header. */
  readonly webhookId: string | null;
  readonly receivedAt: Date;
}

/** Takes the billing provider's webhooks. */
@Injectable()
export class PaymentWebhookService {
  private readonly logger = new Logger('webhook');
  private readonly cipher: FieldCipher;
  private readonly hashKeys: HashKeys;

  constructor(
    config: WebhookIngestConfig,
    private readonly webhooks: PaymentWebhookStore,
  ) {
    this.cipher = config.FIELD_ENCRYPTION_KEYS;
    this.hashKeys = { email: config.EMAIL_HASH_KEY, coupon: config.COUPON_HASH_KEY };
  }

  /**
   * Stores a webhook and its event together, once for each id. When this returns, nothing can lose it any more.
   * @throws ValidationFailedError when the body is not what the provider agreed to send
   */
  async receivePaymentWebhook(received: ReceivedPaymentWebhook): Promise<WebhookOutcome> {
    const webhook = this.read(received);
    const outcome = await this.webhooks.store(this.toStore(received, webhook));
    const { id, type } = webhook.envelope;
    const data = webhook.known?.data;
    const oid = data?.subscriptionId;
    const krn = data && 'customer' in data ? data.customer?.krn : undefined;
    this.logger.log({ msg: 'webhook.received', outcome, webhook: id, type, oid, krn, path: received.path });
    return outcome;
  }

  private read({ path, rawBody }: ReceivedPaymentWebhook): PaymentWebhook {
    try {
      return readPaymentWebhook(rawBody, path === PLAN_CHANGE_WEBHOOK_PATH ? 'subscription.plan_changed' : undefined);
    } catch (error) {
      if (error instanceof ValidationFailedError) {
        this.logger.log({ msg: 'webhook.received', outcome: 'invalid', problems: error.message, path });
      }
      throw error;
    }
  }

  private toStore(received: ReceivedPaymentWebhook, { envelope, text, known }: PaymentWebhook): NewWebhook {
    const { id, type, timestamp } = envelope;
    const row: PaymentEvent = {
      id,
      type,
      receivedAt: received.receivedAt,
      occurredAt: parseTimestamp(timestamp) as Date,
      subscriptionId: known?.data.subscriptionId ?? null,
      bodyEncrypted: this.cipher.encrypt(text, `payment_event:${id}`),
      webhookId: received.webhookId,
      path: received.path,
    };
    return { row, event: known && paymentReceived(id, timestamp, known, this.hashKeys) };
  }
}
