import { escapeHtml, page } from '../html';
import type { CheckoutLink } from './checkout-link';
import { decimal, discounted, PLAN_NAMES, PLANS } from './plans';
import type { Receipt } from './purchase';

/** The page that a checkout URL opens: plan, price, discount and a Buy button. It needs no script. */
export function checkoutPage(link: CheckoutLink, query: URLSearchParams): string {
  const plan = PLANS[link.plan];
  const percentOff = link.discount?.percentOff ?? 0;
  const total = discounted(plan.cents, percentOff);
  const money = (cents: number): string => `${decimal(cents)} ${escapeHtml(link.currency)}`;
  const row = (name: string, value: string, total = false): string =>
    `<div class="row${total ? ' total' : ''}"><span>${name}</span><span>${value}</span></div>`;
  const choices = PLAN_NAMES.map((name) => {
    const price = money(discounted(PLANS[name].cents, percentOff));
    return `<option value="${name}"${name === link.plan ? ' selected' : ''}>${PLANS[name].name} · ${price}</option>`;
  });
  return page(
    'Checkout',
    `<h1>Checkout</h1>
    <p class="muted">The sandbox's store: nothing is charged, but everything behind it is real.</p>
    <div class="card">
      ${row(`${plan.name} plan, 12 months`, money(plan.cents))}
      ${percentOff > 0 ? row(`Partner discount <span class="tag">−${percentOff} %</span>`, `−${money(plan.cents - total)}`) : ''}
      ${row('Total today', money(total), true)}
    </div>
    <form method="post" action="/store/checkout" class="card">
      <label for="email">E-mail</label>
      <input id="email" name="email" type="email" required maxlength="254" value="jane.doe@example.com">
      <label for="plan">Plan</label>
      <select id="plan" name="plan">${choices.join('')}</select>
      ${link.checkoutToken ? '' : '<label for="code">Promotion code</label><input id="code" name="promotionCode" maxlength="200">'}
      <input type="hidden" name="query" value="${escapeHtml(withoutPlan(query))}">
      <button type="submit">Buy</button>
      ${link.data4 === undefined ? '' : `<p class="muted">Reference of the partner: <code>${escapeHtml(link.data4)}</code></p>`}
    </form>`,
  );
}

/** The plan is chosen in the form. */
function withoutPlan(query: URLSearchParams): string {
  const kept = new URLSearchParams(query);
  kept.delete('plan');
  return kept.toString();
}

/** What the customer sees after the purchase. */
export function receiptPage({ subscriptionId, webhook }: Receipt): string {
  const accepted = webhook.status === 200;
  const outcome = accepted ? 'accepted (200)' : escapeHtml(webhook.error ?? `answered ${webhook.status}`);
  const resend = `/store/webhooks/${encodeURIComponent(webhook.id)}/resend`;
  return page(
    'Thank you',
    `<h1>Thank you</h1><p class="muted">The subscription is yours.</p>
    <div class="card">
      <div class="row"><span>Subscription</span><code>${escapeHtml(subscriptionId)}</code></div>
      <div class="row"><span>Payments webhook <code>${escapeHtml(webhook.id)}</code></span>
        <span class="tag${accepted ? '' : ' bad'}">${outcome}</span></div>
    </div>
    <p>If the sale qualifies, the partner is told: <a href="/inbox">watch the inbox</a>.</p>
    <p class="muted">Send the same webhook again: <code>curl -X POST …${escapeHtml(resend)}</code></p>
    <p><a href="/store/checkout">Buy another one</a></p>`,
  );
}
