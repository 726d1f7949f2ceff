import { Injectable } from '@nestjs/common';
import { type EventOfRow, type Insertion, Outbox } from '@tandem/messaging';
import { WebhookIngestConfig } from '../config';
import type { InboundWebhook } from './inbound-webhook.entity';
import type { Claim } from './inbound-webhook.rules';

/** A row to store. Duplicates are recognised by the claim or, without a claim, by the id. */
export interface WebhookRow {
  readonly row: InboundWebhook;
  readonly claim: Claim | null;
}

const COLUMNS =
  'id, integration, type, received_at, occurred_at, subscription_id, user_id, body_encrypted, webhook_id, path, is_ignored';
const GIVEN = `
  unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[],
         $10::text[], $11::boolean[]`;

/** Inserts rows in the order of their ids, so that two transactions that store the same webhooks cannot deadlock. */
const INSERT = `
  insert into inbound_webhook (${COLUMNS})
  select ${COLUMNS} from given`;
const ONCE = `order by id on conflict (id) do nothing returning id`;

/**
 * Claims keys. A webhook claims a key when its content differs from the claimed content, or when it arrives after the window. If another
 * transaction is claiming the same key, this statement waits until that transaction commits, and compares with its content. A webhook with
 * different content that was received before the claiming webhook is stored without changing the claim: the claim belongs to the webhook
 * that was received last.
 */
const claiming = (key: string, condition: string): string => `
  insert into webhook_claim as claim (key, content, claimed_at)
  select ${key}, content, received_at from given where ${condition} order by ${key}
  on conflict (key) do update
    set content = case when excluded.claimed_at < claim.claimed_at then claim.content else excluded.content end,
        claimed_at = greatest(claim.claimed_at, excluded.claimed_at)
    where claim.content <> excluded.content or claim.claimed_at <= excluded.claimed_at - $15 * interval '1 second'
  returning key`;

/** A repeated delivery must not claim its subject, because something newer about the subject may have been received since the first delivery. */
const CLAIMS = `
  deliveries as (${claiming('delivery_key', 'delivery_key is not null')}),
  subjects as (${claiming(
    'subject_key',
    `subject_key is not null and (delivery_key is null or delivery_key in (select key from deliveries))`,
  )})`;

const BY_ID = {
  name: 'inbound-webhooks-insert',
  with: `given as (select * from ${GIVEN}) as g (${COLUMNS}))`,
  text: `${INSERT} ${ONCE}`,
};
const BY_CLAIM = {
  name: 'inbound-webhooks-claim',
  with: `
    given as (select * from ${GIVEN}, $12::uuid[], $13::uuid[], $14::uuid[])
      as g (${COLUMNS}, delivery_key, subject_key, content)),
    ${CLAIMS}`,
  text: `${INSERT} where subject_key is null or subject_key in (select key from subjects) ${ONCE}`,
};

/** Stores webhooks. */
@Injectable()
export class InboundWebhookRepository {
  private readonly windowSeconds: number;

  constructor(
    private readonly outbox: Outbox,
    config: WebhookIngestConfig,
  ) {
    this.windowSeconds = config.ARRAY_WEBHOOK_DUPLICATE_WINDOW_SECONDS;
  }

  /**
   * Stores, with one statement, the webhooks that are not duplicates of stored webhooks, and publishes the events of those that it stored.
   *
   * @param webhooks the webhooks, of which no two have the same id or subject
   * @param events the events of the webhooks, each with the id of its webhook
   * @returns the ids of the webhooks that were stored now
   */
  insertOnce(webhooks: readonly WebhookRow[], events: readonly EventOfRow[]): Promise<ReadonlySet<string>> {
    return this.outbox.insertWithEvents(this.insertionOf(webhooks), events);
  }

  private insertionOf(webhooks: readonly WebhookRow[]): Insertion {
    const columns = columnsOf(webhooks.map(({ row }) => row));
    if (webhooks.every(({ claim }) => claim === null)) return { ...BY_ID, values: columns };
    const claims = [
      webhooks.map(({ claim }) => claim?.deliveryKey ?? null),
      webhooks.map(({ claim }) => claim?.subjectKey ?? null),
      webhooks.map(({ claim }) => claim?.content ?? null),
    ];
    return { ...BY_CLAIM, values: [...columns, ...claims, this.windowSeconds] };
  }
}

const columnsOf = (rows: readonly InboundWebhook[]): unknown[] => [
  rows.map(({ id }) => id),
  rows.map(({ integration }) => integration),
  rows.map(({ type }) => type),
  rows.map(({ receivedAt }) => receivedAt.toISOString()),
  rows.map(({ occurredAt }) => occurredAt?.toISOString() ?? null),
  rows.map(({ subscriptionId }) => subscriptionId),
  rows.map(({ userId }) => userId),
  rows.map(({ bodyEncrypted }) => bodyEncrypted),
  rows.map(({ webhookId }) => webhookId),
  rows.map(({ path }) => path),
  rows.map(({ isIgnored }) => isIgnored),
];
