import { failureOf } from './attempt-failure.rules';
import { CHECK_DISPATCHER, type NextAttempt, nextAttemptOf } from './next-attempt.rules';
import type { SaleStep, SaleStory } from './sale-story.dto';

/** A text about whether the partner was notified of a refund or chargeback, and the next steps if the partner was not. */
interface NoticeJudgement {
  readonly text: string;
  readonly next: SaleStep[];
}

/**
 * Explains whether the partner was notified that a sale was refunded or charged back.
 *
 * @param replayOfSale the step that replays the postback of the sale
 * @param now the time at which the facts were read
 */
export function noticeOf(
  { notice, endpoint }: Pick<SaleStory, 'notice' | 'endpoint'>,
  replayOfSale: SaleStep,
  now: Date,
): NoticeJudgement {
  if (notice === null) {
    const text = endpoint?.notifyClosures
      ? 'there is no notice for the partner: either notices were off when the sale was closed, or the event is on its way to postback-dispatcher'
      : 'the partner does not receive notices of refunds and chargebacks';
    return { text, next: [] };
  }
  if (notice.status === 'delivered') return { text: `the partner was notified at ${notice.deliveredAt}`, next: [] };
  const attempt = notice.status === 'pending' ? nextAttemptOf(notice, endpoint, now) : undefined;
  const last = notice.attempts.at(-1);
  const text =
    attempt && (last === undefined || last.error === null)
      ? `the notice to the partner ${attempt.text}`
      : `the partner has not been notified${whyNot(notice, attempt)}`;
  if (attempt?.isOverdue) return { text, next: [CHECK_DISPATCHER] };
  // No step is needed before the first attempt, which is made soon, or while a replay would have no effect.
  if (attempt && (last === undefined || !attempt.isReplayUseful)) return { text, next: [] };
  const replay: SaleStep = { ...replayOfSale, deliveryId: notice.id };
  const { partnerId, environment } = replayOfSale;
  const enable: SaleStep[] =
    endpoint?.status === 'disabled' ? [{ step: 'enable_postback', partnerId, environment }] : [];
  return { text, next: [...enable, replay] };
}

function whyNot({ status, attempts }: NonNullable<SaleStory['notice']>, attempt: NextAttempt | undefined): string {
  if (status === 'held') return ': the notice was held while the endpoint was disabled or missing';
  const failure = failureOf(attempts.at(-1));
  return attempt
    ? ` yet: its endpoint failed with ${failure}; the next attempt ${attempt.text}`
    : `: every attempt failed, the last with ${failure}`;
}
