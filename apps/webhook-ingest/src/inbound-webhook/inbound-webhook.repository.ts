import { Injectable } from '@nestjs/common';
import { type EventOfRow, type Insertion, Outbox } from '@tandem/messaging';
import { WebhookIngestConfig } from '../config';
import type { InboundWebhook } from './inbound-webhook.entity';
import type { Claim } from './inbound-webhook.rules';

/**
 * A row to store. A webhook with a claim is a duplicate if the claim fails; a webhook without a claim is a duplicate if its id is already
 * stored.
 */
export interface WebhookRow {
  readonly row: InboundWebhook;
  readonly claim: Claim | null;
}

const COLUMNS =
  'id, integration, type, received_at, occurred_at, subscription_id, user_id, body_encrypted, webhook_id, path, is_ignored';
const GIVEN = `
  unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[],
         $10::text[], $11::boolean[]`;

/**
 * Inserts rows. `ONCE` adds to this statement the order of the ids, so that two transactions that store the same webhooks cannot deadlock.
 */
const INSERT = `
  insert into inbound_webhook (${COLUMNS})
  select ${COLUMNS} from given`;
const ONCE = `order by id on conflict (id) do nothing returning id`;

/**
 * Claims keys in the table `webhook_claim`. A webhook claims a key if the key is free, if the claimed content differs from its own, or if
 * the claim is older than the window. If another transaction is claiming the same key, this statement waits for the commit, and then
 * compares the contents.
 *
 * A webhook may claim its key later than a webhook that was received after it. If their contents differ, both are stored, and the claim
 * keeps the content of the webhook that was received last.
 *
 * The time of receipt comes from the clock of a replica. If this clock is more than 1 s ahead of the database's clock, the claim gets the
 * database's time plus 1 s. With a later time, the claim would keep its content although the next webhooks report something else.
 */
const claiming = (key: string, condition: string): string => `
  insert into webhook_claim as claim (key, content, claimed_at)
  select ${key}, content, least(received_at, clock_timestamp() + interval '1 second') from given where ${condition} order by ${key}
  on conflict (key) do update
    set content = case when excluded.claimed_at < claim.claimed_at then claim.content else excluded.content end,
        claimed_at = greatest(claim.claimed_at, excluded.claimed_at)
    where claim.content <> excluded.content or claim.claimed_at <= excluded.claimed_at - $15 * interval '1 second'
  returning key`;

/**
 * Claims deliveries first. Then claims the subjects of webhooks whose delivery could be claimed, and of webhooks without a `webhook-id`. A
 * repeated delivery must not claim its subject, because newer content about the subject may have been received since the first delivery.
 */
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

/** Stores webhooks and publishes their events. */
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
   * Stores the given webhooks, except duplicates, and publishes their events, in one statement.
   *
   * @param webhooks the webhooks, no two of which have the same id or subject
   * @param events the events of the webhooks, each with the id of its webhook
   * @returns the ids of the webhooks that this call has stored
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
