import { Injectable, Logger } from '@nestjs/common';
import { FieldCipher } from '@tandem/database';
import { currentTraceparent } from '@tandem/tracing';
import { newEventId } from '@tandem/messaging';
import { ValidationFailedError } from '@tandem/http-api';
import { WebhookIngestConfig } from '../config';
import type { InboundWebhook } from './inbound-webhook.entity';
import { bodyBinding, claimOf, eventsOfRow } from './inbound-webhook.rules';
import { InboundWebhookStore, type NewWebhook, type WebhookOutcome } from './inbound-webhook-store';
import type { IntegrationName, ReadWebhook, ReceivedWebhook, WebhookReader } from './integration';
import { countWebhook } from './webhook.metrics';

/** Receives the webhooks of all integrations. */
@Injectable()
export class InboundWebhookService {
  private readonly logger = new Logger('webhook');
  private readonly cipher: FieldCipher;

  constructor(
    config: WebhookIngestConfig,
    private readonly webhooks: InboundWebhookStore,
  ) {
    this.cipher = config.FIELD_ENCRYPTION_KEYS;
  }

  /**
   * Stores a webhook together with its events, unless it is a duplicate. Once the promise has resolved, the webhook and its events are
   * committed.
   *
   * @throws ValidationFailedError when the body is not valid for the integration; also the errors of InboundWebhookStore
   */
  async receive(reader: WebhookReader, received: ReceivedWebhook): Promise<WebhookOutcome> {
    const { integration } = reader;
    const webhook = this.read(reader, received);
    const { row, claim, events } = this.toStore(integration, received, webhook);
    const outcome = await this.webhooks.store({ row, claim, events });
    countWebhook(integration, outcome);
    const { type, subscriptionId: oid, path } = row;
    const [event] = outcome === 'accepted' ? events : [];
    this.logger.log({
      msg: 'webhook.received',
      outcome,
      integration,
      // A webhook without an id in its body has a claim and a generated id. If it is a duplicate, it is logged without an id, because no row
      // has the generated id: the row of the original webhook has another one.
      webhook: outcome === 'duplicate' && claim !== null ? undefined : row.id,
      eventId: event?.id,
      type,
      oid: oid ?? undefined,
      ...namedUser(row),
      path,
    });
    return outcome;
  }

  private read(reader: WebhookReader, received: ReceivedWebhook): ReadWebhook {
    try {
      return reader.read(received);
    } catch (error) {
      if (error instanceof ValidationFailedError) {
        const { integration } = reader;
        const { path } = received;
        countWebhook(integration, 'invalid');
        this.logger.log({ msg: 'webhook.received', outcome: 'invalid', integration, problems: error.message, path });
      }
      throw error;
    }
  }

  private toStore(integration: IntegrationName, received: ReceivedWebhook, webhook: ReadWebhook): NewWebhook {
    const { identity, text, events, type, occurredAt, subscriptionId, userId } = webhook;
    const { receivedAt, webhookId, path } = received;
    const id = 'id' in identity ? identity.id : newEventId(receivedAt.getTime());
    const bodyEncrypted = this.cipher.encrypt(text, bodyBinding({ integration, id }));
    const row: InboundWebhook = {
      id,
      integration,
      type,
      receivedAt,
      occurredAt,
      subscriptionId,
      userId,
      bodyEncrypted,
      webhookId,
      path,
      isIgnored: events.length === 0,
      replayedAt: null,
    };
    return {
      row,
      claim: 'id' in identity ? null : claimOf(integration, identity.statement, webhookId),
      events: eventsOfRow(row, events, currentTraceparent()),
    };
  }
}

/** Returns the user under the field name that other log lines use for this kind of id. */
const namedUser = ({ integration, userId }: InboundWebhook): object =>
  userId === null ? {} : integration === 'payments' ? { krn: userId } : { arrayUserId: userId };
