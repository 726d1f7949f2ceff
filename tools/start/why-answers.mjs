/**
 * Why a postback did not come, by what is known of a sale: no I/O, so that each answer is one row here.
 *
 * @typedef {object} Facts
 * @property {string} asked  the oid or reference that was asked for
 * @property {object | null} sale  as GET /admin/sales shows it
 * @property {string} baseUrl  of the stack that was asked
 * @property {string | undefined} expectedPartner  whose sale it was expected to be
 * @property {object | null} partner
 * @property {object | null} delivery  with its attempts
 * @property {object | null} endpoint  the state of the partner's configuration; null: there is none
 * @property {string | null} away  why postback-dispatcher could not be asked
 * @property {object[] | null} deadLetters  not replayed, of this key; null: the database is not known here
 *
 * @typedef {{ verdict: string, why: string, next: string[] }} Answer  `next`: commands to copy, in their order
 */

const partnerCommand = (...words) => ['npm run partner --', ...words].join(' ');
const logsOf = (oid) => `npm run logs -- --oid ${quoted(oid)}`;
const inEnvironment = ({ environment }) => (environment === 'test' ? ['--environment', 'test'] : []);

/** A word for a shell. */
export const quoted = (text) => (/^[\w.:@%+=/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const UNATTRIBUTED = {
  no_reference: 'it carried neither a checkout token nor a promotion code',
  token_forged:
    'its checkout token was not signed by us as it is: the URL was cut or changed on its way to the customer',
  token_expired: 'its checkout token had expired when the customer bought: make a new checkout URL for each visit',
  token_of_another_discount: 'its checkout token names a discount that is not of the partner in it',
  unknown_code: 'its promotion code belongs to no partner',
  code_ended: 'its promotion code was switched off before the customer bought',
};

const FAILED = {
  payment_failed: 'the payment failed',
  nothing_paid: 'nothing was paid: the amount is zero',
  partner_inactive: 'the partner was not active when the customer bought',
  refused: 'a manager refused the sale in the fraud review',
};

/** @param {Facts} facts @returns {Answer} */
export function answerOf(facts) {
  const { sale } = facts;
  if (sale === null) return unknownSale(facts);
  if (sale.status === 'unattributed') return unattributed(sale);
  if (facts.expectedPartner !== undefined && sale.partnerId !== facts.expectedPartner) return anotherPartner(facts);
  if (sale.qualifiedAt === null) return notQualified(facts);
  if (facts.away !== null) return { verdict: 'dispatcher_away', why: facts.away, next: [logsOf(sale.oid)] };
  return facts.delivery === null ? noDelivery(facts) : ofDelivery(facts);
}

function unknownSale({ asked, deadLetters, baseUrl, expectedPartner }) {
  if (deadLetters?.length > 0) return deadLetter(asked, deadLetters[0]);
  const ofPartner = expectedPartner === undefined ? '' : `, that the reference is of ${expectedPartner}`;
  const why = [
    `no purchase with the oid or reference ${asked} is known`,
    `Check that ${asked} is copied whole${ofPartner}, that ${baseUrl} is the stack where the customer bought, and by the logs that billing sent its webhook`,
    'A purchase that is no partner’s sale is found by its oid only, and one without any reference to a partner is not kept',
  ].join('. ');
  return { verdict: 'unknown', why, next: [logsOf(asked), 'npm run dead-letters -- list'] };
}

const deadLetter = (oid, { app, id, topic, reason }) => ({
  verdict: 'dead_letter',
  why: `${app} could not handle the event ${topic} and stored it as a dead letter: ${reason}`,
  next: [logsOf(oid), `npm run dead-letters -- replay --app ${app} --id ${id}`],
});

function unattributed({ oid, unattributedReason, closedBy }) {
  const next = [logsOf(oid)];
  if (unattributedReason === null && closedBy !== null) {
    const why = `only that it was ${words(closedBy)} is known: the purchase has not arrived, and gets no postback when it does`;
    return { verdict: 'refunded_before_purchase', why, next };
  }
  const why = `the purchase is no partner's sale: ${UNATTRIBUTED[unattributedReason] ?? 'the reason was not kept'}`;
  return { verdict: 'unattributed', why, next };
}

function anotherPartner({ sale: { partnerId, attributedBy }, partner }) {
  const by = attributedBy === 'code' ? 'its promotion code' : 'the checkout URL';
  return {
    verdict: 'another_partner',
    why: `the sale belongs to ${partner?.name ?? partnerId} (${partnerId}): ${by} is of that partner`,
    next: [partnerCommand('list-promotions', partnerId)],
  };
}

function notQualified({ sale }) {
  const { oid, status, holdReason, failureReason, partnerId } = sale;
  if (status === 'held') {
    return {
      verdict: 'held',
      why: `the sale is held for fraud review (${holdReason}): look at it, then release or refuse it`,
      next: [partnerCommand('release-sale', quoted(oid)), partnerCommand('refuse-sale', quoted(oid))],
    };
  }
  if (status === 'pending') {
    const why = 'the payment is not captured yet: the postback is sent when billing says that it is';
    return { verdict: 'payment_pending', why, next: [logsOf(oid)] };
  }
  if (status === 'failed') {
    const next = failureReason === 'partner_inactive' ? [partnerCommand('show', partnerId)] : [logsOf(oid)];
    const verdict = failureReason === 'refused' ? 'refused' : 'failed';
    return { verdict, why: `${FAILED[failureReason] ?? failureReason}: no postback is sent`, next };
  }
  const why = `it was ${words(status)} before it could qualify: no postback is sent`;
  return { verdict: 'refunded_before_purchase', why, next: [logsOf(oid)] };
}

function noDelivery({ sale: { oid, qualifiedAt }, deadLetters }) {
  if (deadLetters?.length > 0) return deadLetter(oid, deadLetters[0]);
  return {
    verdict: 'on_its_way',
    why: `the sale qualified at ${qualifiedAt}, and postback-dispatcher has no delivery of it: the event is in the outbox or on the bus, or the delivery is older than 90 days`,
    next: [logsOf(oid), 'npm run dead-letters -- list'],
  };
}

function ofDelivery(facts) {
  const { sale, delivery, endpoint } = facts;
  const environment = inEnvironment(sale);
  const replay = partnerCommand('replay-delivery', sale.partnerId, delivery.id, ...environment);
  const enable = partnerCommand('enable-postback', sale.partnerId, ...environment);
  const last = delivery.attempts.at(-1);
  if (delivery.status === 'delivered') {
    const came = `it came: the endpoint answered ${last?.status ?? '2xx'} at ${delivery.deliveredAt}`;
    return isClosed(sale)
      ? { verdict: 'delivered', why: `${came}; the sale was ${words(sale.closedBy)} since`, next: [logsOf(sale.oid)] }
      : { verdict: 'delivered', why: `${came}; a replay sends it again under the same webhook-id`, next: [replay] };
  }
  if (isClosed(sale)) return closed(facts);
  if (endpoint === null) {
    const why = 'the partner has no postback configured: it saves one, then the held delivery is replayed';
    return { verdict: 'not_configured', why, next: [replay] };
  }
  if (endpoint.status === 'disabled') {
    const why = `the endpoint is disabled (${endpoint.disabledReason}): when it answers again, enable it, then replay`;
    return { verdict: 'disabled', why, next: [enable, replay] };
  }
  if (delivery.status === 'pending') return pending(facts, last, replay);
  const failed = delivery.status === 'failed';
  return {
    verdict: failed ? 'given_up' : 'held_delivery',
    why: failed
      ? `every attempt failed, the last with ${failureOf(last)}: when the endpoint answers again, replay it`
      : 'it was held while the endpoint was disabled or missing, and was not replayed since',
    next: [replay],
  };
}

/** A refund that is older than the purchase does not count. */
const isClosed = ({ closedBy, closedAt, soldAt }) => closedBy !== null && Date.parse(closedAt) >= Date.parse(soldAt);

function closed({ sale: { oid, closedBy, closedAt }, delivery, deadLetters }) {
  if (delivery.status === 'failed') {
    const why = `the sale was ${words(closedBy)} at ${closedAt}, before its postback was delivered: it is not sent any more, and not replayed`;
    return { verdict: 'refunded', why, next: [logsOf(oid)] };
  }
  if (deadLetters?.length > 0) return deadLetter(oid, deadLetters[0]);
  const why = `the sale was ${words(closedBy)} at ${closedAt}: the event sale.closed, which stops the delivery, is on its way to postback-dispatcher`;
  return { verdict: 'refunded', why, next: [logsOf(oid), 'npm run dead-letters -- list'] };
}

function pending({ delivery: { nextAttemptAt }, endpoint: { pausedUntil, url } }, last, replay) {
  const paused = pausedUntil === null ? '' : `, and the endpoint is paused until ${pausedUntil}`;
  if (last === undefined) {
    return { verdict: 'waiting', why: `its first attempt is due at ${nextAttemptAt}${paused}`, next: [replay] };
  }
  return {
    verdict: 'failing',
    why: `${url} failed with ${failureOf(last)}; the next attempt is at ${nextAttemptAt}${paused}. The partner mends its endpoint; a replay tries at once`,
    next: [replay],
  };
}

const failureOf = (attempt) =>
  attempt ? [attempt.status, attempt.error].filter((part) => part != null).join(' ') : 'no attempt kept';

const words = (text) => text.replaceAll('_', ' ');
