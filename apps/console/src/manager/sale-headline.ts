import type { components } from '../generated/manager-api';
import { managerTexts } from '../texts/manager';
import { partnersTexts } from '../texts/partners';
import { saleHeadlines as t } from '../texts/sale-headlines';

type Story = components['schemas']['SaleStory'];

const HEADLINES: Readonly<Record<Story['verdict'], (story: Story) => string>> = {
  delivered: ({ sale }) => (isClosed(sale) ? t.deliveredThenClosed(sale?.closedBy ?? '') : t.delivered),
  waiting: (story) => withPause(story.delivery?.attempts.length ? t.again : t.first, story),
  failing: (story) => withPause(t.failing, story),
  disabled: ({ endpoint }) => {
    const why = endpoint?.disabledReason ?? '';
    return t.disabled(partnersTexts.endpoint.reasons[why] ?? why);
  },
  not_configured: () => t.not_configured,
  refunded: ({ sale, delivery }) => (delivery?.status === 'failed' ? t.neverSent : t.stopping)(sale?.closedBy ?? ''),
  given_up: () => t.given_up,
  held_delivery: () => t.held_delivery,
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

const withPause = (text: string, { endpoint }: Story): string =>
  endpoint?.pausedUntil ? `${text} ${t.paused(endpoint.pausedUntil)}` : text;

/** Returns the state of a sale in a manager's words. For a verdict that is newer than the console, returns the API's words. */
export const headlineOf = (story: Story): string =>
  Object.hasOwn(HEADLINES, story.verdict) ? HEADLINES[story.verdict](story) : story.reason;
