import { escapeHtml, page } from '../html';
import { DEMO_USER, KRN_PATTERN } from '../krn';
import type { CheckoutLink, LinkFault } from './checkout-link';
import { decimal, discounted, type Plan, PLAN_NAMES, PLANS } from './plans';
import type { Receipt } from './purchase';
import { changesForm, rowsOf, webhookRow } from './purchases.page';
import type { Subscription } from './subscription-book';

/** The text for each fault of a checkout URL. */
const HINTS: Record<LinkFault, string> = {
  token_forged:
    'This checkout URL was changed, or was not created by the partner API: there is no discount, and the sale is not attributed to the partner.',
  token_expired: 'This checkout URL has expired: there is no discount, and the sale is not attributed to the partner.',
  reference_changed: 'The reference in this checkout URL was changed: the partner gets the signed one.',
};

/**
 * Returns the field for a promotion code. The page does not show the discount of a code, because only the partner API
 * knows it. A checkout URL carries its discount in its token.
 */
const promotionField = (code: string): string => `<label for="code">Promotion code</label>
      <input id="code" name="promotionCode" maxlength="200" aria-describedby="code-hint" value="${escapeHtml(code)}">
      <p class="muted" id="code-hint">With the code of a partner, the partner gets the sale. The store does not know the discount of a code, so the
      price stays. A checkout URL carries its discount.</p>`;

/** The contents of the fields of the checkout page. */
export interface CheckoutInput {
  email: string;
  /** The user account; empty for none. */
  krn: string;
  promotionCode: string;
}

/**
 * Returns the page that a checkout URL opens: plans, price, discount and a Buy button. It needs no script: CSS shows the total of
 * the chosen plan.
 */
export function checkoutPage(link: CheckoutLink, query: URLSearchParams, input: CheckoutInput): string {
  const percentOff = link.discount?.percentOff ?? 0;
  const currency = escapeHtml(link.currency);
  const choices = PLAN_NAMES.map((name) => {
    const checked = name === link.plan ? ' checked' : '';
    return `<label><input type="radio" name="plan" id="plan-${name}" value="${name}"${checked}>${PLANS[name].name}</label>`;
  });
  const shown = PLAN_NAMES.map((name) => `form:has(#plan-${name}:checked) .summary-${name} { display: block; }`);
  return page(
    'Checkout',
    `<h1>Checkout</h1>
    <p class="muted">The sandbox's store: nothing is charged, but everything behind it is real.
    <a href="/store/purchases">The latest purchases</a> can be refunded, charged back and cancelled. <a href="/">Start page of the sandbox</a></p>
    ${link.fault === null ? '' : `<p class="card warning" role="status">${HINTS[link.fault]}</p>`}
    <form method="post" action="/store/checkout">
      <fieldset class="card"><legend>Plan</legend>${choices.join('')}</fieldset>
      ${PLAN_NAMES.map((name) => summaryOf(name, percentOff, currency)).join('')}
      <div class="card">
      <label for="email">E-mail</label>
      <input id="email" name="email" type="email" required maxlength="254" value="${escapeHtml(input.email)}">
      ${accountField(input.krn)}
      ${link.checkoutToken ? '' : promotionField(input.promotionCode)}
      <input type="hidden" name="query" value="${escapeHtml(withoutFields(query).toString())}">
      <button type="submit">Buy</button>
      <button type="submit" class="quiet" name="account" value="new" formnovalidate>Fill in a new account</button>
      ${link.data4 === undefined ? '' : `<p class="muted">Reference of the partner: <code>${escapeHtml(link.data4)}</code></p>`}
      </div>
    </form>`,
    `<style>${shown.join(' ')}</style>`,
  );
}

/** Returns the HTML for the price of a plan, which CSS shows while the plan is selected. */
function summaryOf(name: Plan, percentOff: number, currency: string): string {
  const { name: title, cents } = PLANS[name];
  const total = discounted(cents, percentOff);
  const row = (text: string, amount: string, className = 'row'): string =>
    `<div class="${className}"><span>${text}</span><span class="amount">${amount} ${currency}</span></div>`;
  const discount = `Partner discount <span class="tag">−${percentOff} %</span>`;
  return `<div class="card summary summary-${name}">
        ${row(`${title} plan, 12 months`, decimal(cents))}
        ${percentOff > 0 ? row(discount, `−${decimal(cents - total)}`) : ''}
        ${row('Total today', decimal(total), 'row total')}
      </div>`;
}

/**
 * Returns the field for the user account. The page has no script, so a button of the form requests the page again with
 * a new account. The button comes after the Buy button, because the Enter key presses the first button of a form.
 */
function accountField(krn: string): string {
  return `<label for="krn">Your user account (KRN), optional</label>
      <input id="krn" name="krn" maxlength="200" pattern="${KRN_PATTERN}" title="A KRN, such as ${DEMO_USER}" aria-describedby="krn-hint"
        autocomplete="off" value="${escapeHtml(krn)}">
      <p class="muted" id="krn-hint">The plans Advanced and Pro contain identity protection, which needs the account of a user.
      If you have none, press “Fill in a new account”.</p>`;
}

/** Returns the query without the parameters for which the form has a field. */
function withoutFields(query: URLSearchParams): URLSearchParams {
  const kept = new URLSearchParams(query);
  for (const name of ['plan', 'account']) kept.delete(name);
  return kept;
}

/** Returns the page that the customer sees after the purchase. */
export function receiptPage({ webhook }: Receipt, subscription: Subscription): string {
  const { subscriptionId } = subscription;
  const resend = `/store/webhooks/${encodeURIComponent(webhook.id)}/resend`;
  return page(
    'Thank you',
    `<h1>Thank you</h1><p class="muted">You have bought the subscription.</p>
    <div class="card">${rowsOf(subscription)}${webhookRow(webhook)}</div>
    <p>If the sale qualifies, the partner gets a postback: <a href="/inboxes?oid=${encodeURIComponent(subscriptionId)}">watch for it</a>.</p>
    ${webhook.retries ? '<p class="muted">The webhook is sent again, as billing does, until it is accepted or no attempt is left.</p>' : ''}
    <p class="muted">Send the same webhook again: <code>curl -X POST …${escapeHtml(resend)}</code></p>
    ${changesForm(subscription)}
    <p><a href="/store/checkout">Buy another one</a>, <a href="/store/purchases">the latest purchases</a></p>`,
  );
}
