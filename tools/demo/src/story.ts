import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type Answer } from './client';
import { Inbox } from './inbox';
import { Narrator } from './narrator';
import { checkPostback } from './postback-checks';
import type { Stack } from './stack';

export interface StoryOptions {
  /** How often the partner's endpoint fails before it recovers. The default schedule tries again after 5 s, then 5 min. */
  failures: number;
}

const SCOPES = ['checkout:create', 'sales:revoke', 'postback:read', 'postback:write'];
const SETTLED_MS = 20_000;

/** The whole story of a partner with a promotion discount, on a running stack, from the outside. */
export class Story {
  private readonly run = randomBytes(4).toString('hex');
  private readonly client: Client;
  private readonly inbox: Inbox;
  private readonly key = randomBytes(12).toString('hex');
  private token = '';
  private signingSecret = '';
  private sales = 0;
  private buyers = 0;

  constructor(
    private readonly stack: Stack,
    private readonly narrator: Narrator,
    private readonly options: StoryOptions,
  ) {
    this.client = new Client(narrator);
    this.inbox = new Inbox(this.client, `${stack.sandbox.url}/inbox/demo-${this.run}`);
  }

  /** @throws when a check does not hold, or something does not answer */
  async tell(): Promise<void> {
    await this.onboard();
    await this.configurePostback();
    const first = await this.sell('a customer opens the checkout URL and buys');
    await this.refuseForgery();
    await this.repeatWebhook(first);
    await this.failAndRecover();
    await this.revoke(first.oid);
    await this.refund();
  }

  private async onboard(): Promise<void> {
    const { narrator, client, run } = this;
    narrator.chapter('The partner manager approves a partner, its discount and its token');
    const manager = { token: this.stack.partners.manager.token };
    const admin = `${this.stack.baseUrl}/admin/partners`;
    const partner = await client.call('POST', admin, { ...manager, body: { name: `Demo ${run}`, kind: 'promotion' } });
    this.expectStatus(partner, 201);
    const promotion = { code: `DEMO-${run}`, percentOff: 25 };
    this.expectStatus(
      await client.call('POST', `${admin}/${partner.body.id}/promotions`, { ...manager, body: promotion }),
      201,
    );
    const issued = await client.call('POST', `${admin}/${partner.body.id}/tokens`, {
      ...manager,
      body: { environment: 'live', scopes: SCOPES },
    });
    this.expectStatus(issued, 201);
    this.token = String(issued.body.token);
    narrator.check('the token looks like one', /^ptk_live_[0-9A-Za-z]{38}$/.test(this.token));
  }

  private async configurePostback(): Promise<void> {
    const { narrator } = this;
    narrator.chapter('The partner says where its postbacks go');
    const body = { url: this.inbox.url, authMethod: 'Bearer', key: this.key };
    const saved = await this.partner('POST', '/postback', { body });
    this.expectStatus(saved, 201);
    this.signingSecret = String(saved.body.signingSecret);
    narrator.check('a signing secret is shown, this once', /^whsec_/.test(this.signingSecret));
    const read = await this.partner('GET', '/postback');
    this.expectStatus(read, 200);
    narrator.check('the key never comes back', read.body.hasKey === true && !read.text.includes(this.key));
    narrator.check('nor does the signing secret', !read.text.includes(this.signingSecret));
  }

  /** A customer buys by a checkout URL; returns the sale when its postback is there and good. */
  private async sell(title: string): Promise<{ oid: string; webhookId: string }> {
    const { narrator } = this;
    const refId = `order-${this.run}-${++this.sales}`;
    narrator.chapter(`The partner asks for a checkout URL with ref_id ${refId}; ${title}`);
    const created = await this.partner('GET', `/subscription/create-checkout-url?ref_id=${refId}`);
    this.expectStatus(created, 200);
    const checkoutUrl = String(created.body.checkoutUrl);
    narrator.equal('the reference is kept', created.body.refId, refId);
    narrator.equal('nobody may store the answer', created.headers.get('cache-control'), 'no-store');

    const checkout = await this.client.call('GET', checkoutUrl);
    this.expectStatus(checkout, 200);
    narrator.check('the page shows the discount of 25 % and a Buy button', /25 %[^]*Buy/.test(checkout.text));

    const { oid, webhookId } = await this.buy({ checkoutUrl, plan: 'advanced' });
    const [postback] = await this.inbox.waitFor(oid);
    if (!postback) throw new Error('the postback is gone');
    checkPostback(narrator, postback, { key: this.key, signing: this.signingSecret });
    narrator.equal('oid is the subscription', postback.body.oid, oid);
    narrator.equal('sharedId is the ref_id', postback.body.sharedId, refId);
    narrator.equal('the e-mail address is masked', postback.body.emailMasked, `d***${this.buyers}@example.com`);
    return { oid, webhookId };
  }

  private async refuseForgery(): Promise<void> {
    this.narrator.chapter('Somebody forges a payments webhook');
    const forged = await this.client.call('POST', `${this.stack.baseUrl}/idp/payments/webhook`, {
      body: { id: `forged-${this.run}`, type: 'subscription.purchased', timestamp: new Date().toISOString(), data: {} },
      headers: {
        'webhook-id': `forged-${this.run}`,
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': `v1,${randomBytes(32).toString('base64')}`,
      },
    });
    this.expectStatus(forged, 401);
  }

  private async repeatWebhook({ oid, webhookId }: { oid: string; webhookId: string }): Promise<void> {
    const { narrator } = this;
    narrator.chapter('The payment provider sends the same webhook again');
    const again = await this.client.call('POST', `${this.stack.sandbox.store}/webhooks/${webhookId}/resend`);
    narrator.equal('it is accepted again', (again.body.webhook as { status: number }).status, 200);
    narrator.note('A later purchase shows when everything before it has passed.');
    const marker = await this.buy({ promotionCode: `DEMO-${this.run}`, data4: 'marker' });
    const [postback] = await this.inbox.waitFor(marker.oid);
    narrator.equal('a purchase by promotion code is told with its data4', postback?.body.sharedId, 'marker');
    await delay(500);
    narrator.equal('the first sale has one postback still', (await this.inbox.postbacksOf(oid)).length, 1);
  }

  private async failAndRecover(): Promise<void> {
    const { narrator } = this;
    const { failures } = this.options;
    narrator.chapter(`The partner's endpoint fails ${failures === 1 ? 'once' : `${failures} times`}, then recovers`);
    await this.inbox.failNext(failures, 500);
    const { oid } = await this.buy({ promotionCode: `DEMO-${this.run}` });
    narrator.note('The second attempt is made 5 s after the first.');
    const attempts = await this.inbox.waitFor(oid, failures + 1, 45_000 + failures * 15_000);
    const seconds = attempts.map(
      ({ receivedAt }) => (Date.parse(receivedAt) - Date.parse(attempts[0]?.receivedAt ?? '')) / 1000,
    );
    narrator.received(`${attempts.length} attempts, at ${seconds.map((value) => `${value.toFixed(1)} s`).join(', ')}`);
    const ids = new Set(attempts.map(({ headers }) => headers['webhook-id']));
    narrator.equal('all attempts have one webhook-id', ids.size, 1);
    narrator.equal('and one body', new Set(attempts.map(({ rawBody }) => rawBody)).size, 1);
    for (const attempt of attempts) checkPostback(narrator, attempt, { key: this.key, signing: this.signingSecret });
    narrator.equal('without a reference sharedId is empty', attempts[0]?.body.sharedId, '');
    await delay(500);
    narrator.equal('none follows the success', (await this.inbox.postbacksOf(oid)).length, failures + 1);
  }

  private async revoke(oid: string): Promise<void> {
    const { narrator } = this;
    narrator.chapter('The customer returns the product: the partner revokes the sale');
    const body = { subscriptionId: oid, reason: 'returned' };
    const first = await this.partner('PUT', '/subscription/revoke', { body });
    this.expectStatus(first, 200);
    narrator.equal(
      'it says what is revoked',
      [first.body.subscriptionId, first.body.status, first.body.reason],
      [oid, 'revoked', 'returned'],
    );
    const again = await this.partner('PUT', '/subscription/revoke', { body: { ...body, reason: 'fraud' } });
    this.expectStatus(again, 200);
    narrator.equal('a repeat answers the same', again.body, first.body);
    const unknown = await this.partner('PUT', '/subscription/revoke', { body: { subscriptionId: `none-${this.run}` } });
    narrator.equal(
      'an unknown sale is not found',
      [unknown.status, unknown.body.code],
      [404, 'subscription_not_found'],
    );
  }

  private async refund(): Promise<void> {
    const { narrator } = this;
    narrator.chapter('Another customer gets the money back');
    const { oid } = await this.buy({ promotionCode: `DEMO-${this.run}` });
    await this.inbox.waitFor(oid);
    const refunded = await this.client.call('POST', `${this.stack.sandbox.store}/subscriptions/${oid}/refund`);
    narrator.equal('the webhook is accepted', (refunded.body.webhook as { status: number }).status, 200);
    const managed = { token: this.stack.partners.manager.token, silent: true };
    const deadline = Date.now() + SETTLED_MS;
    for (;;) {
      const sales = await this.client.call('GET', `${this.stack.baseUrl}/admin/sales?status=refunded`, managed);
      if ((sales.body.items as { oid: string }[]).some((sale) => sale.oid === oid)) break;
      if (Date.now() > deadline) throw new Error(`the sale ${oid} was not refunded in ${SETTLED_MS / 1000} s`);
      await delay(100);
    }
    const revoked = await this.partner('PUT', '/subscription/revoke', { body: { subscriptionId: oid } });
    narrator.equal(
      'what is refunded cannot be revoked',
      [revoked.status, revoked.body.code],
      [409, 'sale_not_revocable'],
    );
    narrator.equal('the refund sends no postback', (await this.inbox.postbacksOf(oid)).length, 1);
  }

  private async buy(order: object): Promise<{ oid: string; webhookId: string }> {
    const email = `demo.${this.run}.${++this.buyers}@example.com`;
    const bought = await this.client.call('POST', `${this.stack.sandbox.store}/buy`, { body: { ...order, email } });
    this.expectStatus(bought, 201);
    const webhook = bought.body.webhook as { id: string; status: number | null };
    this.narrator.equal('the signed webhook was accepted', webhook.status, 200);
    return { oid: String(bought.body.subscriptionId), webhookId: webhook.id };
  }

  private partner(method: string, path: string, { body }: { body?: object } = {}): Promise<Answer> {
    return this.client.call(method, `${this.stack.baseUrl}/api/v2/partner${path}`, { token: this.token, body });
  }

  private expectStatus(answer: Answer, status: number): void {
    this.narrator.check(
      `the answer is ${status}`,
      answer.status === status,
      `${answer.status} ${answer.text.slice(0, 500)}`,
    );
  }
}
