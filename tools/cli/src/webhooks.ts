import { internalApp } from './internal-app';
import { queryOf } from './query';

/** The maximum number of webhooks in one replay request. */
const CHUNK = 100;
const PAGE = 500;

export interface Webhook {
  readonly id: string;
  readonly receivedAt: string;
  readonly outcome: string;
  readonly type: string;
  readonly oid: string | null;
  readonly user: string | null;
}

export interface WebhookEvent {
  readonly topic: string;
  readonly eventId: string;
}

export interface WholeWebhook extends Webhook {
  readonly events: readonly WebhookEvent[];
  /** The body of the webhook; null when no current key decrypts it. */
  readonly body: object | null;
}

export interface WebhookPage {
  readonly items: readonly Webhook[];
  readonly nextCursor: string | null;
}

/** The operator and the reason, which are logged. */
export interface Reason {
  readonly operator: string;
  readonly reason: string;
}

type Filter = Readonly<Record<string, string | number | undefined>>;

const call = <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> =>
  internalApp('webhook-ingest').call(method, path, body);

/** Returns a page of received webhooks, newest first. */
export const listWebhooks = (filter: Filter): Promise<WebhookPage> =>
  call('GET', `/internal/webhooks${queryOf(filter)}`);

/** Returns one webhook with its body. @param reason when given, the body is not masked */
export const showWebhook = (id: string, reason: Reason | null): Promise<WholeWebhook> =>
  call('GET', `/internal/webhooks/content${queryOf({ id, ...reason })}`);

/** Returns the ids of all webhooks that match a filter, in the order of their arrival. */
export async function findIds(filter: Filter): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page: WebhookPage = await listWebhooks({ ...filter, limit: PAGE, cursor });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return ids.reverse();
}

/** Publishes the events of webhooks again. @returns the outcome of each webhook */
export async function replayWebhooks(ids: readonly string[], reason: Reason) {
  const items: { id: string; outcome: string; events: WebhookEvent[] }[] = [];
  for (let from = 0; from < ids.length; from += CHUNK) {
    const body = { ids: ids.slice(from, from + CHUNK), ...reason };
    const answer = await call<{ items: typeof items }>('POST', '/internal/webhooks/replay', body);
    items.push(...answer.items);
  }
  return items;
}
