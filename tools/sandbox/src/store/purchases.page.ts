import { escapeHtml, page, timeElement } from '../html';
import { queryOf } from '../krn';
import { isRefused, outcomeOf, type WebhookResult } from '../webhook/signed-webhooks';
import { PLANS } from './plans';
import { appliedChange, type Change, CHANGES, type PaymentStatus, type Subscription } from './subscription-book';

/** The changes that the page of a purchase offers. */
export const BUTTONS: readonly { change: Change; label: string }[] = [
  { change: 'refund', label: 'Refund' },
  { change: 'chargeback', label: 'Charge back' },
  { change: 'cancel', label: 'Cancel the subscription' },
];

/** The state of a subscription, and the changes that the page offers in this state. */
interface State {
  state: string;
  offered: readonly Change[];
}

/** The state after a purchase or a renewal. Only a captured payment can be refunded or charged back. */
const LIVE: Record<PaymentStatus, State> = {
  captured: { state: 'live', offered: ['refund', 'chargeback', 'cancel'] },
  pending: { state: 'payment pending', offered: ['cancel'] },
  failed: { state: 'payment failed', offered: [] },
};
const PAYMENTS: Record<PaymentStatus, string> = { captured: 'completed', pending: 'pending', failed: 'failed' };

/** The state after every change except a renewal. */
const ENDED: Record<Exclude<Change, 'renew'>, State> = {
  cancel: { state: 'cancelled', offered: ['refund', 'chargeback'] },
  expire: { state: 'expired', offered: ['refund', 'chargeback'] },
  refund: { state: 'refunded', offered: [] },
  chargeback: { state: 'charged back', offered: [] },
};

function stateOf(subscription: Subscription): State {
  const live = LIVE[subscription.sale?.paymentStatus ?? 'captured'];
  const change = appliedChange(subscription) ?? 'renew';
  if (change === 'renew') return live;
  const { state, offered } = ENDED[change];
  return { state, offered: offered.filter((one) => live.offered.includes(one)) };
}

/** Lists the changes that the state of a subscription allows. */
export const changesOf = (subscription: Subscription): readonly Change[] => stateOf(subscription).offered;

/** Returns the page that lists purchases. @param subscriptions newest first */
export function purchasesPage(subscriptions: readonly Subscription[]): string {
  const rows = subscriptions.map((subscription) => {
    const { subscriptionId, sale } = subscription;
    const now = changedPlanOf(subscription);
    return `<div class="row"><a href="${urlOf(subscription)}">${escapeHtml(subscriptionId)}</a><span>${priceOf(subscription)}${now && ` (now ${now})`}</span>
      ${sale ? `<span class="muted">${timeElement(sale.at)}</span>` : ''}${stateTag(subscription)}</div>`;
  });
  return page(
    'Purchases',
    `<h1>Purchases</h1><p class="muted">The latest purchases in the sandbox's store, newest first. Open one to refund it, to charge it back, or to
    cancel the subscription. The console shows the sale under the same number.</p>
    <div class="card">${rows.join('') || 'Nothing has been bought yet.'}</div>
    <p><a href="/store/checkout">The store</a>, <a href="/">the start page of the sandbox</a></p>`,
  );
}

/** Returns the page of a purchase, with buttons that change it. */
export function purchasePage(subscription: Subscription): string {
  const { subscriptionId, lastChange } = subscription;
  return page(
    'Purchase',
    `<h1>Purchase</h1><p class="muted">The console shows the sale under the same number.</p>
    ${lastChange && isRefused(lastChange.webhook) ? refusalOf(lastChange.change) : ''}
    <div class="card">${rowsOf(subscription)}${lastChange ? webhookRow(lastChange.webhook, 'Webhook of the latest change') : ''}</div>
    ${changesForm(subscription)}
    <p><a href="/inboxes?oid=${encodeURIComponent(subscriptionId)}">Its postback</a>, <a href="/store/purchases">the latest purchases</a>,
    <a href="/store/checkout">the store</a></p>`,
  );
}

/** Returns the rows that describe a purchase. */
export function rowsOf(subscription: Subscription): string {
  const { subscriptionId, sale } = subscription;
  const now = changedPlanOf(subscription);
  return `<div class="row"><span>Subscription</span><code>${escapeHtml(subscriptionId)}</code></div>
      <div class="row"><span>Plan and price</span><span>${priceOf(subscription)}</span></div>
      ${now ? `<div class="row"><span>Plan now</span><span>${now}</span></div>` : ''}
      ${accountRow(subscription)}
      ${sale ? `<div class="row"><span>Bought</span>${timeElement(sale.at)}</div>` : ''}
      ${sale?.paymentStatus ? `<div class="row"><span>Payment</span><span>${PAYMENTS[sale.paymentStatus]}</span></div>` : ''}
      <div class="row"><span>State</span>${stateTag(subscription)}</div>`;
}

/**
 * Returns the row with the user account of the buyer; an empty text without an account. If the plan contains identity
 * protection, the row has a link to act as this user.
 */
function accountRow({ krn, plan }: Subscription): string {
  if (krn === undefined) return '';
  const link = ` <a href="/vendor${queryOf(krn)}">Act as this user</a>`;
  return `<div class="row"><span>User account</span><span><code>${escapeHtml(krn)}</code>${PLANS[plan].entitlements.length > 0 ? link : ''}</span></div>`;
}

/** Returns the row that shows the answer to a webhook. */
export function webhookRow(webhook: WebhookResult, title = 'Payments webhook'): string {
  return `<div class="row"><span>${title} <code>${escapeHtml(webhook.id)}</code></span>
        <span class="tag${webhook.status === 200 ? '' : ' bad'}">${escapeHtml(outcomeOf(webhook))}</span></div>`;
}

const PAID_BACK = `After a refund or a chargeback, the console shows the sale as refunded or charged back, and it no longer counts. A postback
      that the partner does not have yet is not sent.`;

/**
 * Returns the form with a button for each change of a purchase that its state allows; an empty text when there is none.
 */
export function changesForm(subscription: Subscription): string {
  const offered = changesOf(subscription);
  if (offered.length === 0) return '';
  const buttons = BUTTONS.filter(({ change }) => offered.includes(change)).map(
    ({ change, label }) => `<button class="quiet" name="change" value="${change}">${label}</button>`,
  );
  return `<form class="card" method="post" action="${urlOf(subscription)}">
      <h2>Change it</h2>
      <p class="muted">${offered.includes('refund') ? PAID_BACK : ''} After a cancellation, the sale stays, and the user loses what the plan contains.</p>
      <div class="choices">${buttons.join('')}</div>
    </form>`;
}

const refusalOf = (change: Change): string =>
  `<p class="card warning" role="status">The platform did not accept <code>${CHANGES[change]}</code>, and it is not sent again. The purchase has not
    changed.</p>`;

const urlOf = ({ subscriptionId }: Subscription): string => `/store/purchases/${encodeURIComponent(subscriptionId)}`;

/** Returns the plan and the price that were sold. */
const priceOf = ({ plan, sale }: Subscription): string =>
  sale ? `${PLANS[sale.plan ?? plan].name}, ${escapeHtml(`${sale.amount} ${sale.currency}`)}` : PLANS[plan].name;

/** Returns the present plan; an empty text when it is the plan that was sold. */
const changedPlanOf = ({ plan, sale }: Subscription): string =>
  sale?.plan && sale.plan !== plan ? PLANS[plan].name : '';

function stateTag(subscription: Subscription): string {
  const { state } = stateOf(subscription);
  return `<span class="tag${state === 'live' ? '' : ' bad'}">${state}</span>`;
}
