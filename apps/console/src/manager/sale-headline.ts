import type { components } from '../generated/manager-api';
import { sendOf } from '../deliveries/replay';
import { deliveryTexts } from '../texts/deliveries';
import { managerTexts } from '../texts/manager';
import { partnersTexts } from '../texts/partners';
import { saleReason } from '../texts/reasons';
import { saleHeadlines as t } from '../texts/sale-headlines';

type Story = components['schemas']['SaleStory'];

const HEADLINES: Readonly<Record<Story['verdict'], (story: Story) => string>> = {
  delivered: (story) =>
    isClosed(story.sale) ? `${t.deliveredThenClosed(story.sale?.closedBy ?? '')} ${noticeOf(story)}` : t.delivered,
  waiting: (story) => withPause(story.delivery?.attempts.length ? t.again : t.first, story),
  failing: (story) => withPause(t.failing, story),
  disabled: ({ endpoint, delivery }) => {
    const why = endpoint?.disabledReason ?? '';
    return t.disabled(partnersTexts.endpoint.reasons[why] ?? why, delivery ? sendOf(delivery) : deliveryTexts.replay);
  },
  not_configured: () => t.not_configured,
  refunded: (story) => {
    const by = story.sale?.closedBy ?? '';
    if (story.delivery?.status !== 'failed') return t.stopping(by);
    return story.notice ? `${t.notConfirmed(by)} ${noticeOf(story)}` : t.neverSent(by);
  },
  given_up: ({ delivery }) => (delivery?.attempts.length === 0 ? t.expired : t.given_up),
  held_delivery: ({ delivery }) => t.held_delivery(delivery ? sendOf(delivery) : deliveryTexts.send),
  held: ({ sale }) => {
    const why = sale?.holdReason ?? '';
    return t.held(managerTexts.held.reasons[why] ?? why);
  },
  refused: () => t.refused,
  unattributed: ({ sale }) => t.unattributed(t.whyUnattributed[sale?.unattributedReason ?? '']),
  another_partner: ({ sale, partner }) => t.another_partner(partner?.name ?? sale?.partnerId ?? ''),
  payment_pending: () => t.payment_pending,
  failed: ({ sale }) => {
    const why = sale?.failureReason ?? '';
    return t.failed(t.whyFailed[why] ?? why);
  },
  refunded_before_purchase: ({ sale }) =>
    sale?.status === 'unattributed'
      ? t.closedWithoutPurchase(sale.closedBy ?? '')
      : t.closedBeforeQualified(sale?.closedBy ?? sale?.status ?? ''),
  dead_letter: () => t.dead_letter,
  on_its_way: () => t.on_its_way,
  dispatcher_unavailable: () => t.dispatcher_unavailable,
  unknown: () => t.unknown,
};

/** Returns whether the sale was refunded or charged back after the purchase. */
const isClosed = (sale: Story['sale']): boolean =>
  Boolean(sale?.closedAt && sale.soldAt && Date.parse(sale.closedAt) >= Date.parse(sale.soldAt));

/** Says whether the partner was notified of the refund or chargeback. Empty if an older API, or an outage of postback-dispatcher, leaves this unknown. */
function noticeOf({ sale, notice, endpoint, dispatcherFailure }: Story): string {
  const by = sale?.closedBy ?? '';
  if (notice === undefined || dispatcherFailure !== null) return '';
  if (notice === null) return endpoint?.notifyClosures ? t.noNotice : t.noticesOff;
  const { status, deliveredAt, attempts } = notice;
  if (status === 'delivered') return t.told(by, deliveredAt ?? '');
  const state = endpoint?.status ?? 'missing';
  if (status === 'held') return t.noticeHeld[state](by, sendOf(notice));
  const last = attempts.at(-1);
  if (status === 'failed') return `${t.noticeFailed(by, last)} ${t.stepsToSend[state](sendOf(notice))}`;
  return last?.error ? t.noticeFailing(by, last) : t.noticeDue(by);
}

const withPause = (text: string, { endpoint }: Story): string =>
  endpoint?.pausedUntil ? `${text} ${t.paused(endpoint.pausedUntil)}` : text;

/** Returns the state of a sale, worded for a manager. For a verdict that this version of the console does not know, returns the API's words. */
export function headlineOf(story: Story): string {
  const { sale, verdict, reason } = story;
  const headline = Object.hasOwn(HEADLINES, verdict) ? HEADLINES[verdict](story) : reason;
  return sale?.revokedAt ? `${revokedBy(sale.revokedAt, sale.revokeReason)} ${headline}` : headline;
}

const revokedBy = (at: string, reason: string | null): string =>
  t.revoked(at, reason === null ? null : saleReason(reason));
