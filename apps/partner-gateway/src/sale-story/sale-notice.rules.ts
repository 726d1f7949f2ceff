import { failureOf } from './attempt-failure.rules';
import type { SaleStep, SaleStory } from './sale-story.dto';

/** A text about whether the partner was notified of a refund or chargeback, and the next steps if the partner was not. */
interface NoticeJudgement {
  readonly text: string;
  readonly next: SaleStep[];
}

/** The step that replays the postback of the sale, and the time at which the facts were read. */
export interface NoticeQuestion {
  readonly replay: SaleStep;
  readonly now: Date;
}

/** Returns whether the next attempt of a delivery is due. While an attempt is in flight, `nextAttemptAt` still has the time at which it was due. */
export const isDueBy = (
  now: Date,
  { nextAttemptAt }: Pick<NonNullable<SaleStory['delivery']>, 'nextAttemptAt'>,
): boolean => nextAttemptAt !== null && new Date(nextAttemptAt) <= now;

/** Explains whether the partner was notified that a sale was refunded or charged back. */
export function noticeOf(
  { notice, endpoint }: Pick<SaleStory, 'notice' | 'endpoint'>,
  { replay: replayOfSale, now }: NoticeQuestion,
): NoticeJudgement {
  if (notice === null) {
    const text = endpoint?.notifyClosures
      ? 'there is no notice for the partner: either notices were off when the sale was closed, or the event is on its way to postback-dispatcher'
      : 'the partner does not receive notices of refunds and chargebacks';
    return { text, next: [] };
  }
  if (notice.status === 'delivered') return { text: `the partner was notified at ${notice.deliveredAt}`, next: [] };
  const last = notice.attempts.at(-1);
  if (notice.status === 'pending' && (last === undefined || last.error === null)) {
    return { text: `the notice to the partner is due at ${notice.nextAttemptAt}`, next: [] };
  }
  const text = `the partner has not been notified${whyNot(notice)}`;
  // A replay of a notice that is due changes nothing: an attempt is in flight, or starts without a replay.
  if (notice.status === 'pending' && endpoint?.status !== 'disabled' && isDueBy(now, notice)) return { text, next: [] };
  const replay: SaleStep = { ...replayOfSale, deliveryId: notice.id };
  const { partnerId, environment } = replayOfSale;
  const enable: SaleStep[] =
    endpoint?.status === 'disabled' ? [{ step: 'enable_postback', partnerId, environment }] : [];
  return { text, next: [...enable, replay] };
}

function whyNot({ status, attempts, nextAttemptAt }: NonNullable<SaleStory['notice']>): string {
  if (status === 'held') return ': the notice was held while the endpoint was disabled or missing';
  const failure = failureOf(attempts.at(-1));
  return status === 'pending'
    ? ` yet: its endpoint failed with ${failure}; the next attempt is due at ${nextAttemptAt}`
    : `: every attempt failed, the last with ${failure}`;
}
