import { Injectable } from '@nestjs/common';
import { IDENTITY_EVENT } from '@tandem/contracts';
import { WebhookIngestConfig } from '../config';
import { meantEvent, type ReadWebhook, type ReceivedWebhook, type WebhookReader } from '../inbound-webhook/integration';
import { readArrayWebhook, statementOf } from './array-webhook.rules';

/** Reads the bodies of the identity vendor's webhooks. */
@Injectable()
export class ArrayWebhookReader implements WebhookReader {
  readonly integration = 'array';

  constructor(private readonly config: WebhookIngestConfig) {}

  read({ rawBody, receivedAt }: Pick<ReceivedWebhook, 'rawBody' | 'receivedAt'>): ReadWebhook {
    const webhook = readArrayWebhook(rawBody, this.config.VENDOR_APP_KEY);
    const { envelope, clientKey, text, known } = webhook;
    const { service, event, method } = envelope;
    return {
      identity: { statement: statementOf(webhook) },
      type: `${service}/${event}/${method}`,
      occurredAt: null,
      subscriptionId: null,
      userId: clientKey,
      text,
      events: known ? [meantEvent(IDENTITY_EVENT, { ...known, receivedAt: receivedAt.toISOString() })] : [],
    };
  }
}
