import type { components } from '../generated/manager-api';
import { managerTexts } from '../texts/manager';
import { saleReason } from '../texts/reasons';
import { saleHeadlines } from '../texts/sale-headlines';

const t = managerTexts.story;
type Story = components['schemas']['SaleStory'];
type Delivery = NonNullable<Story['delivery']>;

/** Something that happened to a sale, or is expected to happen. */
export interface SaleStep {
  readonly title: string;
  readonly at: string;
  /** The subject of the manager who decided the held sale or requested the replay. */
  readonly actor?: string;
  readonly text?: string | null;
  /** The answer of the partner's endpoint, which is untrusted text. */
  readonly answer?: string | null;
  readonly isAhead?: boolean;
  /** Whether `at` is not the time of the step, which the API does not know, and only determines the place of the step in the list. */
  readonly isUndated?: boolean;
  /** Whether the endpoint accepted the attempt; undefined for other steps. */
  readonly isAccepted?: boolean;
}

const wordsOf = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(' · ');

/** Returns the steps of a sale, of its postback and of the notice of its refund or chargeback, the earliest first. */
export function stepsOf({ sale, decision, delivery, notice, replays }: Story): SaleStep[] {
  const steps: SaleStep[] = [];
  const add = (title: string, at: string | null | undefined, more: Partial<SaleStep> = {}): void => {
    if (at) steps.push({ title, at, ...more });
  };
  const addAttempts = ({ attempts }: Delivery, titleOf: (number: number) => string): void => {
    for (const { number, at, status, error, latencyMs, response } of attempts) {
      const isAccepted = error === null;
      const words = isAccepted ? t.accepted : status === null ? t.noAnswer : t.notAccepted;
      // The error `status` is left out. It only means that the status was not 2xx, which the words already say.
      const why = error === 'status' ? null : error;
      const code = status === null ? '' : ` (${status})`;
      add(titleOf(number), at, {
        text: wordsOf(`${words}${code}`, why, `${latencyMs} ms`),
        answer: response,
        isAccepted,
      });
    }
  };
  if (sale) {
    const {
      soldAt,
      status,
      failureReason,
      holdReason,
      holdDecision,
      holdNote,
      qualifiedAt,
      revokedAt,
      revokeReason,
      revokeNote,
      closedAt,
      closedBy,
    } = sale;
    add(t.sold, soldAt, { text: sale.paymentStatus && (t.payments[sale.paymentStatus] ?? sale.paymentStatus) });
    const reason = holdReason && (managerTexts.held.reasons[holdReason] ?? holdReason);
    const decided = holdDecision && (t.decided[holdDecision] ?? holdDecision);
    // An older version of the API does not return the time of a manager's decision. The decision is then part of the previous step.
    if (reason) add(t.heldBy, soldAt, { text: decision ? reason : wordsOf(reason, decided, holdNote) });
    if (decided) add(decided, decision?.at, { actor: decision?.actor, text: holdNote });
    if (status === 'failed' && failureReason && failureReason !== 'refused') {
      add(t.failed, soldAt, {
        text: t.because(saleHeadlines.whyFailed[failureReason] ?? failureReason),
        isUndated: true,
      });
    }
    add(t.qualified, qualifiedAt);
    add(t.revoked, revokedAt, { text: wordsOf(revokeReason && saleReason(revokeReason), revokeNote) });
    add(t.closed(closedBy ?? ''), closedAt);
  }
  if (delivery) {
    add(t.postbackCreated, delivery.createdAt);
    addAttempts(delivery, t.attempt);
    // An older version of the API does not list the replays.
    for (const { at, actor } of (replays as Story['replays'] | undefined) ?? []) add(t.sentAgain, at, { actor });
    if (delivery.status === 'pending') add(t.next, delivery.nextAttemptAt, { isAhead: true });
  }
  if (notice) {
    add(t.noticeCreated, notice.createdAt);
    addAttempts(notice, t.noticeAttempt);
    if (notice.status === 'pending') add(t.noticeNext, notice.nextAttemptAt, { isAhead: true });
  }
  const isAhead = (step: SaleStep): number => Number(step.isAhead ?? false);
  // Expected steps come last, even if another step has a later time. For example, a replay is recorded only after it has made the next attempt due,
  // so its time is later than the time of this attempt.
  return steps.sort((one, other) => isAhead(one) - isAhead(other) || one.at.localeCompare(other.at));
}
