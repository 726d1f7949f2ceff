/** Webhooks of one request to replay. */
const CHUNK = 100;
const PAGE = 500;

/** Which webhooks: of `list`, and of a `replay` that names none. */
export const FILTERS = /** @type {const} */ ({
  integration: { type: 'string' },
  type: { type: 'string' },
  outcome: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  oid: { type: 'string' },
  user: { type: 'string' },
});

/**
 * @typedef {(method: string, path: string, body?: object) => Promise<any>} Call  asks webhook-ingest. @throws for a refusal
 * @typedef {{ operator: string, reason: string }} Why
 */

/** @param {Record<string, any>} values */
const query = (values) => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(Object.fromEntries(given))}` : '';
};

/** A page of webhooks. @param {Call} call @param {Record<string, any>} options */
export const listWebhooks = (call, options) => call('GET', `/internal/webhooks${query(options)}`);

/** One webhook with its body. @param {Call} call @param {string} id @param {Why | null} why  shows it whole */
export const showWebhook = (call, id, why) => call('GET', `/internal/webhooks/content${query({ id, ...why })}`);

/** The ids of all webhooks that a filter finds, oldest first: in the order in which they came. @param {Call} call */
export async function findIds(call, filter) {
  const ids = [];
  let cursor;
  do {
    const page = await listWebhooks(call, { ...filter, limit: PAGE, cursor });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return ids.reverse();
}

/**
 * Publishes webhooks again.
 *
 * @param {Call} call
 * @param {string[]} ids
 * @param {Why} why
 * @returns {Promise<{ id: string, outcome: string, events: { topic: string, eventId: string }[] }[]>}
 */
export async function replayWebhooks(call, ids, why) {
  const items = [];
  for (let from = 0; from < ids.length; from += CHUNK) {
    const answer = await call('POST', '/internal/webhooks/replay', { ids: ids.slice(from, from + CHUNK), ...why });
    items.push(...answer.items);
  }
  return items;
}
