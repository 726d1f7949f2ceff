import type { SaleDto } from '../sale/sale.dto';
import { failureOf } from './attempt-failure.rules';
import { CHECK_DISPATCHER, nextAttemptOf } from './next-attempt.rules';
import { noticeOf } from './sale-notice.rules';
import type { SaleStep, SaleStory } from './sale-story.dto';

/*
 * Explains, from the known facts of a sale, why the sale's postback was or was not delivered. The functions do no I/O.
 */

/** The facts about a sale from which its story is composed. */
export type SaleFacts = Omit<SaleStory, 'verdict' | 'reason' | 'next'>;

/** The conclusion that {@link judge} draws from the facts. */
export type Judgement = Pick<SaleStory, 'verdict' | 'reason' | 'next'>;

type Delivery = NonNullable<SaleFacts['delivery']>;
type Endpoint = NonNullable<SaleFacts['endpoint']>;

/** The steps of which {@link pending} suggests one. */
interface PendingSteps {
  readonly replay: SaleStep;
  readonly logs: SaleStep;
}

const UNATTRIBUTED: Readonly<Record<string, string>> = {
  no_reference: 'it has neither a checkout token nor a promotion code',
  token_forged: 'the signature of its checkout token is invalid: the URL was cut or changed on its way to the customer',
  token_expired: 'its checkout token had expired by the time of the purchase: create a new checkout URL for each visit',
  token_of_another_discount: 'its checkout token contains a discount of another partner',
  unknown_code: 'its promotion code belongs to no partner',
  code_ended: 'its promotion code had been switched off before the purchase',
};

const FAILED: Readonly<Record<string, string>> = {
  payment_failed: 'the payment failed',
  nothing_paid: 'nothing was paid: the amount is zero',
  partner_inactive: 'the partner was not active when the purchase arrived',
  refused: 'a manager refused the sale in the fraud review',
};

/**
 * Explains the state of a sale and its postback.
 *
 * @param now the time at which the facts were read
 * @param expectedPartnerId the partner that should own the sale; undefined if any partner may own it
 */
export function judge(facts: SaleFacts, now: Date, expectedPartnerId?: string): Judgement {
  const { sale, dispatcherFailure } = facts;
  if (sale === null) return unknownSale(facts);
  if (sale.status === 'unattributed') return unattributed(sale);
  if (expectedPartnerId !== undefined && sale.partnerId !== expectedPartnerId) return anotherPartner(sale, facts);
  if (sale.qualifiedAt === null) return notQualified(sale);
  if (dispatcherFailure !== null) {
    // A reason does not end with a full stop, because the programs that show it add one.
    const reason = `postback-dispatcher is unavailable: ${dispatcherFailure.replace(/\.$/, '')}`;
    return { verdict: 'dispatcher_unavailable', reason, next: [CHECK_DISPATCHER, logsOf(sale)] };
  }
  return facts.delivery === null ? noDelivery(sale, facts) : withDelivery(sale, facts.delivery, facts, now);
}

const logsOf = ({ oid }: Pick<SaleFacts, 'oid'>): SaleStep => ({ step: 'read_logs', oid });
const LIST_DEAD_LETTERS: SaleStep = { step: 'list_dead_letters' };
const LIST_UNATTRIBUTED: SaleStep = { step: 'list_unattributed_sales' };
const words = (text: string): string => text.replaceAll('_', ' ');
const timeOf = (time: Date | null): string => time?.toISOString() ?? 'an unknown time';

function unknownSale(facts: SaleFacts): Judgement {
  const letter = deadLetter(facts);
  if (letter) return letter;
  const reason =
    'no such purchase is stored. Purchases without any reference to a partner are not stored, and a purchase whose token is invalid is stored without its reference';
  return { verdict: 'unknown', reason, next: [LIST_UNATTRIBUTED, logsOf(facts), LIST_DEAD_LETTERS] };
}

/** Returns the judgement about the newest dead letter of the sale, or null if the sale has no dead letter. */
function deadLetter({ oid, deadLetters: [newest] }: SaleFacts): Judgement | null {
  if (newest === undefined) return null;
  const { app, id, topic, reason } = newest;
  return {
    verdict: 'dead_letter',
    reason: `${app} could not handle the event ${topic} and stored it as a dead letter: ${reason}`,
    next: [logsOf({ oid }), { step: 'replay_dead_letter', app, deadLetterId: id }],
  };
}

function unattributed(sale: SaleDto): Judgement {
  const { unattributedReason, closedBy } = sale;
  const next = [logsOf(sale)];
  if (unattributedReason === null && closedBy !== null) {
    const reason = `the subscription was ${words(closedBy)}, but its purchase has not arrived. The purchase gets a postback only if it was made later than the refund or chargeback`;
    return { verdict: 'refunded_before_purchase', reason, next };
  }
  const why = UNATTRIBUTED[unattributedReason ?? ''] ?? 'the reason was not kept';
  return { verdict: 'unattributed', reason: `the purchase is not attributed to a partner: ${why}`, next };
}

function anotherPartner({ partnerId, attributedBy }: SaleDto, { partner }: SaleFacts): Judgement {
  const by = attributedBy === 'code' ? 'its promotion code' : 'its checkout URL';
  return {
    verdict: 'another_partner',
    reason: `the sale belongs to ${partner?.name ?? partnerId} (${partnerId}): ${by} belongs to that partner`,
    next: partnerId === null ? [] : [{ step: 'list_promotions', partnerId }],
  };
}

function notQualified(sale: SaleDto): Judgement {
  const { oid, status, holdReason, failureReason, partnerId } = sale;
  if (status === 'held') {
    return {
      verdict: 'held',
      reason: `the sale is held for fraud review (${holdReason}): review it, then release or refuse it`,
      next: [
        { step: 'release_sale', oid },
        { step: 'refuse_sale', oid },
      ],
    };
  }
  if (status === 'pending') {
    const reason = 'the payment is not captured yet: the postback is sent when billing reports the capture';
    return { verdict: 'payment_pending', reason, next: [logsOf(sale)] };
  }
  if (status === 'failed') {
    const isInactive = failureReason === 'partner_inactive' && partnerId !== null;
    return {
      verdict: failureReason === 'refused' ? 'refused' : 'failed',
      reason: `${FAILED[failureReason ?? ''] ?? failureReason}: no postback is sent`,
      next: [isInactive ? { step: 'show_partner', partnerId } : logsOf(sale)],
    };
  }
  const reason = `the sale was ${words(status)} before it could qualify: no postback is sent`;
  return { verdict: 'refunded_before_purchase', reason, next: [logsOf(sale)] };
}

function noDelivery(sale: SaleDto, facts: SaleFacts): Judgement {
  return (
    deadLetter(facts) ?? {
      verdict: 'on_its_way',
      reason: `the sale qualified at ${timeOf(sale.qualifiedAt)}, but postback-dispatcher shows no delivery for it: either the event is still in the outbox or on the bus, or the delivery is older than 90 days`,
      next: [logsOf(sale), LIST_DEAD_LETTERS],
    }
  );
}

function withDelivery(sale: SaleDto, delivery: Delivery, facts: SaleFacts, now: Date): Judgement {
  const { endpoint } = facts;
  const owner = { partnerId: sale.partnerId ?? '', environment: sale.environment ?? 'live' } as const;
  const replay: SaleStep = { step: 'replay_delivery', ...owner, deliveryId: delivery.id };
  if (delivery.status === 'delivered') return delivered(sale, delivery, facts, replay, now);
  if (isClosed(sale)) return closed(sale, delivery, facts, replay, now);
  if (endpoint === null) {
    const reason = 'the partner has not configured an endpoint: once it has, replay the delivery';
    return { verdict: 'not_configured', reason, next: [replay] };
  }
  if (endpoint.status === 'disabled') {
    const reason = `the endpoint is disabled (${endpoint.disabledReason}): when it works again, enable it, then replay the delivery`;
    return { verdict: 'disabled', reason, next: [{ step: 'enable_postback', ...owner }, replay] };
  }
  if (delivery.status === 'pending') return pending(delivery, endpoint, { replay, logs: logsOf(sale) }, now);
  if (delivery.status === 'held') {
    const reason = 'the postback was held while the endpoint was disabled or missing, and has not been replayed since';
    return { verdict: 'held_delivery', reason, next: [replay] };
  }
  const reason = `every attempt failed, the last with ${failureOf(delivery.attempts.at(-1))}: replay the postback when the endpoint works again`;
  return { verdict: 'given_up', reason, next: [replay] };
}

function delivered(
  sale: SaleDto,
  { attempts, deliveredAt }: Delivery,
  facts: SaleFacts,
  replay: SaleStep,
  now: Date,
): Judgement {
  const came = `the postback was delivered: the endpoint answered ${attempts.at(-1)?.status ?? '2xx'} at ${deliveredAt}`;
  const verdict = 'delivered';
  if (isClosed(sale)) {
    const { text, next } = noticeOf(facts, replay, now);
    const reason = `${came}; since then the sale has been ${words(sale.closedBy ?? '')}; ${text}`;
    return { verdict, reason, next: [...next, logsOf(sale)] };
  }
  if (sale.status === 'revoked') {
    const reason = `the partner revoked the sale at ${timeOf(sale.revokedAt)}; ${came}`;
    return { verdict, reason, next: [logsOf(sale)] };
  }
  return { verdict, reason: `${came}; a replay sends it again under the same webhook-id`, next: [replay] };
}

/** Returns whether the sale was refunded or charged back. A refund or chargeback that is older than the purchase does not count. */
const isClosed = ({ closedBy, closedAt, soldAt }: SaleDto): boolean =>
  closedBy !== null && closedAt !== null && soldAt !== null && closedAt >= soldAt;

function closed(sale: SaleDto, delivery: Delivery, facts: SaleFacts, replay: SaleStep, now: Date): Judgement {
  const happened = `the sale was ${words(sale.closedBy ?? '')} at ${timeOf(sale.closedAt)}`;
  if (delivery.status === 'failed') {
    const reason = `${happened}, before its postback was delivered: the postback will not be sent or replayed`;
    // There is a notice only if the endpoint has accepted an attempt, or may have accepted one that got no answer.
    const notice = facts.notice && noticeOf(facts, replay, now);
    return {
      verdict: 'refunded',
      reason: notice ? `${reason}; ${notice.text}` : reason,
      next: [...(notice?.next ?? []), logsOf(sale)],
    };
  }
  return (
    deadLetter(facts) ?? {
      verdict: 'refunded',
      reason: `${happened}: the event sale.closed, which stops the delivery, is on its way to postback-dispatcher`,
      next: [logsOf(sale), LIST_DEAD_LETTERS],
    }
  );
}

function pending(delivery: Delivery, endpoint: Endpoint, { replay, logs }: PendingSteps, now: Date): Judgement {
  const attempt = nextAttemptOf(delivery, endpoint, now);
  const last = delivery.attempts.at(-1);
  const next = [
    ...(attempt.isOverdue ? [CHECK_DISPATCHER] : []),
    // A delivery ends when the endpoint accepts an attempt. If the last attempt of a pending delivery was accepted, the delivery has since
    // been replayed, and needs no other replay.
    attempt.isReplayUseful && last?.error !== null ? replay : logs,
  ];
  if (last === undefined) return { verdict: 'waiting', reason: `the first attempt ${attempt.text}`, next };
  if (last.error === null) {
    const reason = `the endpoint answered ${last.status}, and the postback is being sent again: the next attempt ${attempt.text}`;
    return { verdict: 'waiting', reason, next };
  }
  const advice = attempt.isReplayUseful
    ? '. When the partner has fixed its endpoint, replay the postback instead of waiting'
    : '';
  const reason = `The endpoint ${endpoint.url} failed with ${failureOf(last)}; the next attempt ${attempt.text}${advice}`;
  return { verdict: 'failing', reason, next };
}
