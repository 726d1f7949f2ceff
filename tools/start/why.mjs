import { deadLettersOf } from './dead-letter-store.mjs';
import { answerOf } from './why-answers.mjs';

/** Stories that are told when a reference is of several sales. */
const SHOWN = 3;

/**
 * Tells what became of a sale and its postback, from the payment to the endpoint's answers, and what to do next.
 *
 * @param {string} asked  an oid, or a partner's own reference
 * @param {{ get: (path: string) => Promise<{ status: number, body: any }>, baseUrl: string, databaseUrl: string | null, partner?: string, json?: boolean }} tools
 *   get: asks the admin API; answers 404, 409 and 503 come back, other failures are thrown
 * @returns {Promise<string>} for people, or JSON
 * @throws when there is no such partner
 */
export async function why(asked, { get, baseUrl, databaseUrl, partner, json = false }) {
  if (partner !== undefined && (await get(partnerPath(partner))).status === 404) {
    throw new Error(`there is no partner ${partner}: 'npm run partner -- list' shows the ids`);
  }
  const sales = await findSales(asked, get, partner);
  const stories = [];
  for (const sale of sales.length > 0 ? sales.slice(0, SHOWN) : [null]) {
    const facts = await gather({ asked, baseUrl, sale, expectedPartner: partner }, get, databaseUrl);
    stories.push({ ...answerOf(facts), facts });
  }
  if (json) return JSON.stringify(stories, null, 2);
  const more =
    sales.length > SHOWN ? [`More sales have this reference: npm run partner -- sales --ref-id ${asked}`] : [];
  return [...stories.map(tellStory), ...more].join('\n\n');
}

const partnerPath = (id) => `/admin/partners/${encodeURIComponent(id)}`;

/** By the oid; else those of a reference, newest first. */
async function findSales(asked, get, partner) {
  const of = async (filter) => {
    const { status, body } = await get(`/admin/sales?${new URLSearchParams(filter)}`);
    if (status !== 200) throw new Error(`the sales could not be read: ${status} ${body?.detail ?? ''}`);
    return body.items;
  };
  const bySubscription = asked.length <= 255 ? await of({ oid: asked }) : [];
  if (bySubscription.length > 0) return bySubscription;
  return of({ refId: asked, limit: String(SHOWN + 1), ...(partner && { partnerId: partner }) });
}

async function gather(known, get, databaseUrl) {
  const { asked, sale } = known;
  const deadLetters = databaseUrl === null ? null : await deadLettersOf(databaseUrl, sale?.oid ?? asked);
  const facts = { ...known, partner: null, delivery: null, endpoint: null, away: null, deadLetters };
  if (sale?.partnerId == null) return facts;
  const at = partnerPath(sale.partnerId);
  const within = { environment: sale.environment };
  const [partner, deliveries, endpoint] = await Promise.all([
    get(at),
    get(`${at}/deliveries?${new URLSearchParams({ ...within, oid: sale.oid })}`),
    get(`${at}/postback?${new URLSearchParams(within)}`),
  ]);
  const unanswered = [deliveries, endpoint].find(({ status }) => status === 503);
  return {
    ...facts,
    partner: partner.body,
    away: unanswered ? `postback-dispatcher could not be asked: ${unanswered.body.detail}` : null,
    delivery: deliveries.status === 200 ? (deliveries.body.items[0] ?? null) : null,
    endpoint: endpoint.status === 200 ? endpoint.body : null,
  };
}

function tellStory({ why: reason, next, facts }) {
  const lines = factLines(facts).map(([name, text]) => `  ${name.padEnd(12)} ${text}`);
  const head = facts.sale ? `Sale ${facts.sale.oid}` : `Nothing is known of ${facts.asked}`;
  return [head, ...lines, `Why: ${reason}.`, 'Next:', ...next.map((command) => `  ${command}`)].join('\n');
}

/** What is known, in the order in which it happens. */
function factLines({ sale, partner, delivery, endpoint, away, deadLetters }) {
  const letters =
    deadLetters === null
      ? [['dead letters', 'not looked at: no DATABASE_URL']]
      : deadLetters.map(({ app, id, reason }) => ['dead letter', `${app} ${id}: ${reason}`]);
  if (sale === null) return letters;
  const lines = [
    ['payment', paymentOf(sale)],
    ['attribution', attributionOf(sale, partner)],
    ['fraud review', reviewOf(sale)],
    ['sale', sale.qualifiedAt ? `${sale.status}, qualified at ${sale.qualifiedAt}` : sale.status],
  ];
  if (sale.partnerId === null || sale.qualifiedAt === null) return [...lines, ...letters];
  if (away) return [...lines, ...letters, ['delivery', away]];
  return [...lines, ...letters, ...deliveryLines(delivery), ['endpoint', endpointOf(endpoint)]];
}

const paymentOf = ({ paymentStatus, amount, currency, soldAt, closedBy, closedAt }) =>
  [
    paymentStatus === null ? 'no purchase has arrived' : `${paymentStatus} ${amount} ${currency} at ${soldAt}`,
    ...(closedBy ? [`${closedBy.replaceAll('_', ' ')} at ${closedAt}`] : []),
  ].join('; ');

function attributionOf({ partnerId, environment, sharedId, attributedBy, unattributedReason }, partner) {
  if (partnerId === null) return `none${unattributedReason ? `: ${unattributedReason}` : ''}`;
  const by = attributedBy === 'checkout' ? 'checkout URL' : 'promotion code';
  return `${partner?.name ?? ''} (${partnerId}), ${environment}, by ${by}, reference ${sharedId || '–'}`;
}

const reviewOf = ({ holdReason, holdDecision }) =>
  holdReason === null ? 'not held' : `${holdDecision ?? 'held, not decided'}: ${holdReason}`;

function deliveryLines(delivery) {
  if (delivery === null) return [['delivery', 'none']];
  const { id, status, nextAttemptAt, deliveredAt, error: reason, attempts } = delivery;
  const when = nextAttemptAt
    ? `, next attempt at ${nextAttemptAt}`
    : deliveredAt
      ? ` at ${deliveredAt}`
      : reason
        ? `: ${reason}`
        : '';
  return [
    ['delivery', `${id} ${status}${when}`],
    ...attempts.map(({ number, at, status: answer, latencyMs, error, response }) => [
      `  attempt ${number}`,
      `${at} ${answer ?? 'no answer'} in ${latencyMs} ms${error ? `: ${error}` : ''}${response ? ` ${JSON.stringify(response.slice(0, 60))}` : ''}`,
    ]),
  ];
}

function endpointOf(endpoint) {
  if (endpoint === null) return 'not configured';
  const { url, status, disabledReason, pausedUntil } = endpoint;
  return `${url} ${status}${disabledReason ? `: ${disabledReason}` : ''}${pausedUntil ? `, paused until ${pausedUntil}` : ''}`;
}
