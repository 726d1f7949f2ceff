import type { components } from '../generated/manager-api';
import { asSentence } from '../print';
import { commandsOf, type UrlOfApp } from './steps';

export type SaleStory = components['schemas']['SaleStory'];
type Sale = NonNullable<SaleStory['sale']>;
type Line = readonly [name: string, text: string];

/** Formats the story of a sale for people: the steps in order, the reason for its outcome, and the commands to copy. */
export function formatSale(story: SaleStory, urlOf: UrlOfApp): string {
  const { sale, reason } = story;
  const lines = linesOf(story).map(([name, text]) => `  ${name.padEnd(12)} ${text}`);
  const hint =
    sale || story.deadLetters.length > 0
      ? []
      : ['Check that the oid or reference is complete, and that the purchase was made on this stack.'];
  const commands = nextOf(story, urlOf);
  const next = commands.length > 0 ? ['Next:', ...commands] : [];
  return [headOf(story), ...lines, `Reason: ${asSentence(reason)}`, ...hint, ...next].join('\n');
}

function headOf({ oid, sale, verdict }: SaleStory): string {
  if (sale) return `Sale ${oid}`;
  // For the verdict `unknown`, the user may have given an oid or a reference. For any other verdict, it is an oid, because dead letters have it.
  return verdict === 'unknown' ? `No sale has the oid or the reference ${oid}` : `No sale ${oid} is stored`;
}

/** Returns the lines with the commands. A command that sends a delivered postback again says so. */
function nextOf({ next, delivery }: SaleStory, urlOf: UrlOfApp): string[] {
  const isDelivered = delivery?.status === 'delivered';
  const lines = next.map((step) => {
    const note = isDelivered && step.step === 'replay_delivery' ? '   # sends it again' : '';
    return commandsOf([step], urlOf).map((command) => `  ${command}${note}`);
  });
  return [...new Set(lines.flat())];
}

function linesOf(story: SaleStory): readonly Line[] {
  const { sale, delivery, endpoint, deadLetters, dispatcherFailure } = story;
  const letters = deadLetters.map(({ app, id, reason }): Line => ['dead letter', `${app} ${id}: ${reason}`]);
  if (!sale) return letters;
  const lines: Line[] = [
    ['payment', paymentOf(sale)],
    ['attribution', attributionOf(sale, story)],
    ['fraud review', reviewOf(story)],
    ['sale', sale.qualifiedAt ? `${sale.status}, qualified at ${sale.qualifiedAt}` : sale.status],
  ];
  if (!sale.partnerId || !sale.qualifiedAt) return [...lines, ...letters];
  if (dispatcherFailure)
    return [
      ...lines,
      ...letters,
      ['delivery', `unknown, because postback-dispatcher is unavailable: ${dispatcherFailure}`],
    ];
  return [...lines, ...letters, ...deliveryLines(delivery), ['endpoint', endpointOf(endpoint)]];
}

function reviewOf({ sale, decision }: SaleStory): string {
  if (!sale?.holdReason) return 'not held';
  const by = decision ? `, by ${decision.actor} at ${decision.at}` : '';
  return `${sale.holdDecision ?? 'held, not decided'}: ${sale.holdReason}${by}`;
}

const paymentOf = ({ paymentStatus, amount, currency, soldAt, closedBy, closedAt }: Sale): string =>
  [
    paymentStatus ? `${paymentStatus} ${amount} ${currency} at ${soldAt}` : 'no purchase has arrived',
    ...(closedBy ? [`${closedBy.replaceAll('_', ' ')} at ${closedAt}`] : []),
  ].join('; ');

function attributionOf(sale: Sale, { partner }: SaleStory): string {
  const { partnerId, environment, sharedId, attributedBy, unattributedReason } = sale;
  if (!partnerId) return `none${unattributedReason ? `: ${unattributedReason}` : ''}`;
  const by = attributedBy === 'checkout' ? 'checkout URL' : 'promotion code';
  return `${partner?.name ?? ''} (${partnerId}), ${environment}, by ${by}, reference ${sharedId || '–'}`;
}

function deliveryLines(delivery: SaleStory['delivery']): readonly Line[] {
  if (!delivery) return [['delivery', 'none']];
  const { id, status, nextAttemptAt, deliveredAt, error, attempts } = delivery;
  const when = nextAttemptAt
    ? `, next attempt ${new Date(nextAttemptAt) > new Date() ? `at ${nextAttemptAt}` : 'now'}`
    : deliveredAt
      ? ` at ${deliveredAt}`
      : error
        ? `: ${error}`
        : '';
  return [
    ['delivery', `${id} ${status}${when}`],
    ...attempts.map((attempt): Line => [`  attempt ${attempt.number}`, attemptOf(attempt)]),
  ];
}

const attemptOf = ({ at, status, latencyMs, error, response }: components['schemas']['PostbackAttemptDto']): string =>
  `${at} ${status ?? 'no answer'} in ${latencyMs} ms${error ? `: ${error}` : ''}${response ? ` ${JSON.stringify(response.slice(0, 60))}` : ''}`;

function endpointOf(endpoint: SaleStory['endpoint']): string {
  if (!endpoint) return 'not configured';
  const { url, status, disabledReason, pausedUntil } = endpoint;
  return `${url} ${status}${disabledReason ? `: ${disabledReason}` : ''}${pausedUntil ? `, paused until ${pausedUntil}` : ''}`;
}
