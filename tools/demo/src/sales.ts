import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './client';
import type { Receiver } from './deliveries';
import type { SuspectPartner } from './fraud';
import type { Inbox } from './inbox';
import { checkPostback, type PostbackSecrets } from './postback-checks';
import type { Bought, Scene } from './scene';

const SCOPES = ['checkout:create', 'sales:read', 'sales:revoke', 'postback:read', 'postback:write'];

/** Follows a partner with a promotion discount from its approval to sales, postbacks and revocations. */
export class SaleStory {
  readonly inbox: Inbox;
  readonly secrets: PostbackSecrets = { key: randomBytes(12).toString('hex'), signing: '' };
  /** The partner's token and its id. After the rotation, `token` is the successor token, and `id` is unchanged. */
  token = { id: '', token: '' };
  private partnerId = '';
  private sales = 0;

  constructor(private readonly scene: Scene) {
    this.inbox = scene.inbox('demo');
  }

  /** The partner's account, for the other parts of the story. */
  get account(): Receiver & SuspectPartner {
    const { promotionCode, contactEmail, inbox, secrets } = this;
    return { token: this.token.token, promotionCode, contactEmail, inbox, secrets };
  }

  async onboard(): Promise<void> {
    const { scene } = this;
    const { narrator } = scene;
    narrator.chapter('The partner manager approves a partner, its discount and its token');
    const { contactEmail } = this;
    this.partnerId = await scene.createPartner({ name: `Demo ${scene.run}`, kind: 'promotion', contactEmail });
    const promotion = { code: this.promotionCode, percentOff: 25 };
    scene.expectStatus(await scene.manager('POST', `/partners/${this.partnerId}/promotions`, { body: promotion }), 201);
    this.token = await scene.issueToken(this.partnerId, 'live', SCOPES);
  }

  /** Issues a test token for the same partner. */
  async issueTestToken(): Promise<string> {
    return (await this.scene.issueToken(this.partnerId, 'test', SCOPES)).token;
  }

  async configurePostback(): Promise<void> {
    const { narrator } = this.scene;
    const { key } = this.secrets;
    narrator.chapter('The partner configures its postbacks');
    const body = { url: this.inbox.endpoint, authMethod: 'Bearer', key };
    const saved = await this.partner('POST', '/postback', { body });
    this.scene.expectStatus(saved, 201);
    const signing = String(saved.body.signingSecret);
    this.secrets.signing = signing;
    await this.inbox.addSigningSecret(signing);
    narrator.check('a signing secret is shown once', /^whsec_/.test(signing));
    const read = await this.partner('GET', '/postback');
    this.scene.expectStatus(read, 200);
    narrator.check('the key is not returned', read.body.hasKey === true && !read.text.includes(key));
    narrator.check('the signing secret is not returned either', !read.text.includes(signing));
  }

  /** Buys as a customer through a checkout URL. Returns the sale once its valid postback has arrived. */
  async sell(title: string): Promise<Bought> {
    const { scene } = this;
    const { narrator } = scene;
    const refId = `order-${scene.run}-${++this.sales}`;
    narrator.chapter(`The partner asks for a checkout URL with ref_id ${refId}; ${title}`);
    const created = await this.partner('GET', `/subscription/create-checkout-url?ref_id=${refId}`);
    this.scene.expectStatus(created, 200);
    const checkoutUrl = String(created.body.checkoutUrl);
    narrator.equal('the reference is unchanged', created.body.refId, refId);
    narrator.equal('the answer must not be stored', created.headers.get('cache-control'), 'no-store');

    const checkout = await this.scene.client.call('GET', checkoutUrl);
    this.scene.expectStatus(checkout, 200);
    narrator.check('the page shows the discount of 25 % and a Buy button', /25 %[^]*Buy/.test(checkout.text));

    const { oid, webhookId } = await this.scene.buy({ checkoutUrl, plan: 'advanced' });
    const [postback] = await this.inbox.waitFor(oid);
    if (!postback) throw new Error('the postback is missing');
    checkPostback(narrator, postback, this.secrets);
    narrator.equal('oid is the subscription', postback.body.oid, oid);
    narrator.equal('sharedId is the ref_id', postback.body.sharedId, refId);
    narrator.equal('the e-mail address is masked', postback.body.emailMasked, this.scene.lastBuyerMasked);
    return { oid, webhookId };
  }

  async refuseForgery(): Promise<void> {
    this.scene.narrator.chapter('Somebody forges a payments webhook');
    const forged = await this.scene.client.call('POST', `${this.scene.stack.baseUrl}/idp/payments/webhook`, {
      body: {
        id: `forged-${this.scene.run}`,
        type: 'subscription.purchased',
        timestamp: new Date().toISOString(),
        data: {},
      },
      headers: {
        'webhook-id': `forged-${this.scene.run}`,
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': `v1,${randomBytes(32).toString('base64')}`,
      },
    });
    this.scene.expectStatus(forged, 401);
  }

  async repeatWebhook({ oid, webhookId }: Bought): Promise<void> {
    const { narrator } = this.scene;
    narrator.chapter('The payment provider sends the same webhook again');
    const again = await this.scene.client.call(
      'POST',
      `${this.scene.stack.sandbox.store}/webhooks/${webhookId}/resend`,
    );
    narrator.equal('the repeated webhook is accepted', (again.body.webhook as { status: number }).status, 200);
    narrator.note(
      'Another purchase follows. Until its postback has arrived, the repeated webhook has time to have an effect.',
    );
    const marker = await this.scene.buy({ promotionCode: this.promotionCode, data4: 'marker' });
    const [postback] = await this.inbox.waitFor(marker.oid);
    narrator.equal(
      'the postback of a purchase by promotion code has the data4 as sharedId',
      postback?.body.sharedId,
      'marker',
    );
    await delay(500);
    narrator.equal('the first sale still has one postback', (await this.inbox.postbacksOf(oid)).length, 1);
  }

  /** Makes the endpoint fail for the first attempts of a postback. @returns the sale of that postback */
  async failAndRecover(failures: number): Promise<Bought> {
    const { narrator } = this.scene;
    narrator.chapter(`The partner's endpoint fails ${failures === 1 ? 'once' : `${failures} times`}, then recovers`);
    await this.inbox.failNext(failures, 500);
    const bought = await this.scene.buy({ promotionCode: this.promotionCode });
    const { oid } = bought;
    narrator.note('By default, the second attempt is made 5 s after the first.');
    const attempts = await this.inbox.waitFor(oid, failures + 1, 45_000 + failures * 15_000);
    const seconds = attempts.map(
      ({ receivedAt }) => (Date.parse(receivedAt) - Date.parse(attempts[0]?.receivedAt ?? '')) / 1000,
    );
    narrator.received(`${attempts.length} attempts, at ${seconds.map((value) => `${value.toFixed(1)} s`).join(', ')}`);
    const ids = new Set(attempts.map(({ headers }) => headers['webhook-id']));
    narrator.equal('all attempts have the same webhook-id', ids.size, 1);
    narrator.equal('all attempts have the same body', new Set(attempts.map(({ rawBody }) => rawBody)).size, 1);
    for (const attempt of attempts) checkPostback(narrator, attempt, this.secrets);
    narrator.equal('without a reference sharedId is empty', attempts[0]?.body.sharedId, '');
    await delay(500);
    narrator.equal('no attempt follows the success', (await this.inbox.postbacksOf(oid)).length, failures + 1);
    return bought;
  }

  async revoke(oid: string): Promise<void> {
    const { narrator } = this.scene;
    narrator.chapter('The customer returns the product: the partner revokes the sale');
    const body = { subscriptionId: oid, reason: 'returned' };
    const first = await this.partner('PUT', '/subscription/revoke', { body });
    this.scene.expectStatus(first, 200);
    narrator.equal(
      'the answer names the revoked sale',
      [first.body.subscriptionId, first.body.status, first.body.reason],
      [oid, 'revoked', 'returned'],
    );
    const again = await this.partner('PUT', '/subscription/revoke', { body: { ...body, reason: 'fraud' } });
    this.scene.expectStatus(again, 200);
    narrator.equal('a repeated revocation gets the same answer', again.body, first.body);
    const unknown = await this.partner('PUT', '/subscription/revoke', {
      body: { subscriptionId: `none-${this.scene.run}` },
    });
    narrator.equal(
      'an unknown sale is not found',
      [unknown.status, unknown.body.code],
      [404, 'subscription_not_found'],
    );
  }

  async refund(): Promise<void> {
    const { narrator } = this.scene;
    narrator.chapter('Another customer gets the money back');
    const { oid } = await this.scene.buy({ promotionCode: this.promotionCode });
    await this.inbox.waitFor(oid);
    const refunded = await this.scene.client.call(
      'POST',
      `${this.scene.stack.sandbox.store}/subscriptions/${oid}/refund`,
    );
    narrator.equal('the webhook is accepted', (refunded.body.webhook as { status: number }).status, 200);
    await this.scene.untilListed(oid, 'refunded');
    const revoked = await this.partner('PUT', '/subscription/revoke', { body: { subscriptionId: oid } });
    narrator.equal(
      'a refunded sale cannot be revoked',
      [revoked.status, revoked.body.code],
      [409, 'sale_not_revocable'],
    );
    narrator.equal('the refund sends no postback', (await this.inbox.postbacksOf(oid)).length, 1);
  }

  async refundBeforeRetry(): Promise<void> {
    const { narrator, stack, client } = this.scene;
    narrator.chapter("The partner's endpoint fails, and the customer gets the money back before the next attempt");
    await this.inbox.failNext(1, 500);
    const { oid } = await this.scene.buy({ promotionCode: this.promotionCode });
    await this.inbox.waitFor(oid);
    this.scene.expectStatus(await client.call('POST', `${stack.sandbox.store}/subscriptions/${oid}/refund`), 200);
    const stopped = await this.scene.until(`the delivery of ${oid} is stopped`, async () => {
      const { body } = await this.partner('GET', `/postback/deliveries?oid=${oid}&status=failed`, { silent: true });
      return (body.items as { id: string; error: string; attempts: unknown[] }[])[0];
    });
    narrator.equal('its delivery shows the reason', [stopped.error, stopped.attempts.length], ['sale refunded', 1]);
    const replayed = await this.partner('POST', `/postback/deliveries/${stopped.id}/replay`);
    this.scene.expectRefusal('the stopped delivery cannot be replayed', replayed, 409, 'sale_closed');
    narrator.note('By default, the second attempt would have come after 5 s.');
    await delay(6_000);
    narrator.equal('nothing more is sent', (await this.inbox.postbacksOf(oid)).length, 1);
  }

  private get promotionCode(): string {
    return `DEMO-${this.scene.run}`;
  }

  private get contactEmail(): string {
    return `contact.${this.scene.run}@example.com`;
  }

  private partner(method: string, path: string, call: { body?: object; silent?: boolean } = {}): Promise<Answer> {
    return this.scene.partner(this.token.token, method, path, call);
  }
}
