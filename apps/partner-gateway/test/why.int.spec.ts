import { execFile } from 'node:child_process';
import path from 'node:path';
import type { PostbackDeliveryView, PostbackEndpointStatus } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { closure, Gateway, purchase, type TestPartner, timeOf } from './gateway';

const CLI = path.join(__dirname, '../../../tools/start/partner.mjs');
const ID = '01910000-0000-7000-8000-00000000000a';
const TIME = '2026-01-05T09:30:00.000Z';
const NEXT = '2026-01-05T09:35:00.000Z';

const ENDPOINT: PostbackEndpointStatus = {
  url: 'https://partner.example.com/sales',
  authMethod: 'Bearer',
  hasKey: true,
  status: 'active',
  signingEnabled: true,
  createdAt: TIME,
  updatedAt: TIME,
  pausedUntil: null,
};
const GOOD = { number: 2, at: TIME, status: 200, latencyMs: 12, error: null, response: 'ok' };
const BAD = { number: 1, at: TIME, status: 503, latencyMs: 41, error: 'status', response: 'busy' };

/** Runs the command of the person on call, `npm run partner -- why`, against the real admin API. */
describe('npm run partner -- why', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let endpoint: PostbackEndpointStatus | null;
  let delivery: Partial<PostbackDeliveryView> | null;
  let isDispatcherAway: boolean;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    endpoint = ENDPOINT;
    delivery = null;
    isDispatcherAway = false;
    gateway.dispatcher.answerBy(({ url }) => {
      if (isDispatcherAway) return [503, { code: 'service_unavailable' }];
      if (url.endsWith('/status')) return endpoint ? [200, endpoint] : [404, { code: 'postback_not_configured' }];
      const oid = new URL(url, 'http://x').searchParams.get('oid');
      const items = delivery === null ? [] : [{ id: ID, oid, refId: null, createdAt: TIME, ...delivery }];
      return [200, { items, nextCursor: null, hasMore: false }];
    });
  });

  const run = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    const token = await gateway.managerToken();
    const target = ['--base-url', gateway.running.url, '--token', token];
    const env = { ...process.env, DATABASE_URL: gateway.database.superuserUrl };
    return new Promise((resolve) => {
      execFile(process.execPath, [CLI, ...args, ...target], { env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  };

  /** The verdict and the commands to copy. */
  const why = async (...args: string[]): Promise<{ verdict: string; why: string; next: string[] }> => {
    const { code, out, err } = await run('why', ...args, '--json');
    if (code !== 0) throw new Error(err);
    return (JSON.parse(out) as { verdict: string; why: string; next: string[] }[])[0] as never;
  };

  const sell = async (change: Parameters<typeof purchase>[1] = {}): Promise<string> => {
    const oid = uniqueId('sub');
    await gateway.receive(purchase(oid, { attribution: { promotionCode: partner.promotionCode }, ...change }));
    return oid;
  };
  const replay = () => `npm run partner -- replay-delivery ${partner.id} ${ID}`;
  const sent = { deliveredAt: null, nextAttemptAt: null, attempts: [BAD] };

  it('reports a delivered postback, and how to send it again [admin.why]', async () => {
    const oid = await sell();
    delivery = { status: 'delivered', deliveredAt: TIME, nextAttemptAt: null, attempts: [BAD, GOOD] };
    expect(await why(oid)).toMatchObject({
      verdict: 'delivered',
      why: expect.stringContaining('answered 200'),
      next: [replay()],
    });
  });

  it('prints the whole story: payment, attribution, review, delivery, attempts, endpoint [admin.why]', async () => {
    const oid = await sell();
    delivery = { status: 'pending', deliveredAt: null, nextAttemptAt: NEXT, attempts: [BAD] };
    const { out } = await run('why', oid);
    expect(out.split('\n').map((line) => line.trim().split(/\s+/)[0])).toEqual([
      'Sale',
      'payment',
      'attribution',
      'fraud',
      'sale',
      'delivery',
      'attempt',
      'endpoint',
      'Why:',
      'Next:',
      'npm',
      '',
    ]);
    expect(out).toContain('captured 99.90 USD');
    expect(out).toContain(`(${partner.id}), live, by promotion code`);
    expect(out).toContain('503 in 41 ms: status "busy"');
  });

  it('finds the sales of a reference', async () => {
    const token = await gateway.checkoutToken(partner.token, '?ref_id=order%207');
    const oid = await sell({ attribution: { checkoutToken: token }, minute: 59 });
    const { out } = await run('why', 'order 7');
    expect(out).toContain(`Sale ${oid}`);
    expect(out).toContain('by checkout URL, reference order 7');
  });

  it('reports a delivery whose first attempt is due [admin.why]', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'pending', nextAttemptAt: NEXT, attempts: [] };
    expect(await why(oid)).toMatchObject({ verdict: 'waiting', why: expect.stringContaining(NEXT), next: [replay()] });
  });

  it('reports how an endpoint fails, and until when it is paused [admin.why]', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'pending', nextAttemptAt: NEXT };
    endpoint = { ...ENDPOINT, pausedUntil: '2026-01-05T09:34:00.000Z' };
    expect(await why(oid)).toMatchObject({
      verdict: 'failing',
      why: expect.stringMatching(/failed with 503 status; .* paused until 2026-01-05T09:34/),
      next: [replay()],
    });
  });

  it.each(['held', 'failed'] as const)(
    'reports a disabled endpoint when the delivery is %s [admin.why]',
    async (status) => {
      const oid = await sell();
      delivery = { ...sent, status };
      endpoint = { ...ENDPOINT, status: 'disabled', disabledReason: 'deliveries_exhausted' };
      expect(await why(oid)).toMatchObject({
        verdict: 'disabled',
        why: expect.stringContaining('deliveries_exhausted'),
        next: [`npm run partner -- enable-postback ${partner.id}`, replay()],
      });
    },
  );

  it('names the environment of a test sale in the next commands', async () => {
    const checkoutToken = await gateway.checkoutToken(partner.testToken);
    const oid = await sell({ attribution: { checkoutToken }, minute: 59 });
    delivery = { ...sent, status: 'failed' };
    expect(await why(oid)).toMatchObject({ verdict: 'given_up', next: [`${replay()} --environment test`] });
  });

  it('reports that no postback is configured', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'held', attempts: [] };
    endpoint = null;
    expect(await why(oid)).toMatchObject({ verdict: 'not_configured', next: [replay()] });
  });

  it('reports a held delivery although the endpoint is enabled', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'held', attempts: [] };
    expect(await why(oid)).toMatchObject({ verdict: 'held_delivery', next: [replay()] });
  });

  it('reports a sale held for fraud, and how to decide [admin.why]', async () => {
    const oid = await sell({ customer: { emailMasked: 'a***z@yopmail.com' } });
    expect(await why(oid)).toMatchObject({
      verdict: 'held',
      why: expect.stringContaining('disposable_email'),
      next: [`npm run partner -- release-sale ${oid}`, `npm run partner -- refuse-sale ${oid}`],
    });
  });

  it('reports a refused sale [admin.why]', async () => {
    const oid = await sell({ customer: { emailMasked: 'a***z@yopmail.com' } });
    await run('refuse-sale', oid);
    expect(await why(oid)).toMatchObject({ verdict: 'refused', next: [`npm run logs -- --oid ${oid}`] });
  });

  it.each([
    ['payment_pending', { paymentStatus: 'pending' }, 'not captured yet'],
    ['failed', { paymentStatus: 'failed' }, 'the payment failed'],
    ['failed', { amount: '0.00' }, 'nothing was paid'],
  ] as const)('reports %s for a purchase with %j', async (verdict, change, text) => {
    const oid = await sell(change);
    expect(await why(oid)).toMatchObject({ verdict, why: expect.stringContaining(text) });
  });

  it('reports why a purchase is unattributed: a bad token, an expired one, an unknown code [admin.why]', async () => {
    const token = await gateway.checkoutToken(partner.token);
    const later = new Date(Date.now() + 400 * 86_400_000).toISOString();
    const cases = [
      [{ attribution: { checkoutToken: `${token.slice(0, -4)}AAAA` } }, 'not signed by us'],
      [{ attribution: { checkoutToken: token }, occurredAt: later }, 'had expired'],
      [{ attribution: { promotionCode: 'NOBODYS' } }, 'belongs to no partner'],
    ] as const;
    for (const [change, text] of cases) {
      const oid = await sell(change);
      expect(await why(oid)).toMatchObject({
        verdict: 'unattributed',
        why: expect.stringContaining(text),
        next: [`npm run logs -- --oid ${oid}`],
      });
    }
  });

  it('reports the owner of the sale when the code is another partner’s [admin.why]', async () => {
    const other = await gateway.createPartner();
    const oid = await sell({ attribution: { promotionCode: other.promotionCode } });
    expect(await why(oid, '--partner', partner.id)).toMatchObject({
      verdict: 'another_partner',
      why: expect.stringContaining(other.id),
      next: [`npm run partner -- list-promotions ${other.id}`],
    });
  });

  it('reports a refund that arrived before its purchase, with and without the purchase [admin.why]', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(closure(oid, 'subscription.refunded', 5));
    expect(await why(oid)).toMatchObject({ verdict: 'refunded_before_purchase', why: expect.stringContaining('only') });
    await gateway.receive(
      purchase(oid, { attribution: { promotionCode: partner.promotionCode }, occurredAt: timeOf(0) }),
    );
    expect(await why(oid)).toMatchObject({
      verdict: 'refunded_before_purchase',
      why: expect.stringContaining('before'),
    });
  });

  it('reports that a refund stopped the delivery permanently [admin.why]', async () => {
    const oid = await sell();
    await gateway.receive(closure(oid, 'subscription.refunded', 5));
    delivery = { ...sent, status: 'failed', error: 'sale refunded' };
    expect(await why(oid)).toMatchObject({
      verdict: 'refunded',
      why: expect.stringMatching(/^the sale was refunded at .* before its postback was delivered/),
      next: [`npm run logs -- --oid ${oid}`],
    });
    expect((await run('why', oid)).out).toContain('failed: sale refunded');
  });

  it('reports a delivery that is about to be stopped after a recent refund [admin.why]', async () => {
    const oid = await sell();
    await gateway.receive(closure(oid, 'subscription.charged_back', 5));
    delivery = { ...sent, status: 'pending', nextAttemptAt: NEXT };
    expect(await why(oid)).toMatchObject({
      verdict: 'refunded',
      why: expect.stringMatching(/charged back at .* on its way/),
      next: [`npm run logs -- --oid ${oid}`, 'npm run dead-letters -- list'],
    });
  });

  it('offers no replay of a delivered postback whose sale has since been refunded [admin.why]', async () => {
    const oid = await sell();
    await gateway.receive(closure(oid, 'subscription.refunded', 5));
    delivery = { status: 'delivered', deliveredAt: TIME, nextAttemptAt: null, attempts: [GOOD] };
    expect(await why(oid)).toMatchObject({ verdict: 'delivered', next: [`npm run logs -- --oid ${oid}`] });
  });

  it('reports an unknown oid [admin.why]', async () => {
    const oid = uniqueId('sub');
    expect(await why(oid)).toMatchObject({
      verdict: 'unknown',
      next: [`npm run logs -- --oid ${oid}`, 'npm run dead-letters -- list'],
    });
    const { out } = await run('why', oid);
    expect(out).toContain(`Nothing is known of ${oid}`);
    expect(out).toContain(`Check that ${oid} is copied whole`);
    expect(out).toContain(`that ${gateway.running.url} is the stack where the customer bought`);
  });

  it('reports an unknown partner, whether the sale is known or not [admin.why]', async () => {
    const message = "there is no partner nope: 'npm run partner -- list' shows the ids";
    for (const asked of [await sell(), uniqueId('sub')]) {
      expect(await run('why', asked, '--partner', 'nope')).toEqual({ code: 1, out: '', err: `${message}\n` });
    }
  });

  it('reports the dead letter of a payment, and how to replay it [admin.why]', async () => {
    const oid = uniqueId('sub');
    const [letter] = await gateway.database.query<{ id: string }>(
      `insert into partner.dead_letter (consumer, event_id, topic, "partition", "offset", key, headers, payload, reason, attempts)
       values ('partner-gateway', gen_random_uuid(), 'payment.received', 0, '1', $1, '{}', '', 'amount is missing', 1) returning id`,
      [oid],
    );
    expect(await why(oid)).toMatchObject({
      verdict: 'dead_letter',
      why: expect.stringContaining('amount is missing'),
      next: [`npm run logs -- --oid ${oid}`, `npm run dead-letters -- replay --app partner-gateway --id ${letter?.id}`],
    });
  });

  it('reports a qualified sale without a delivery, and an unreachable postback-dispatcher', async () => {
    const oid = await sell();
    expect(await why(oid)).toMatchObject({ verdict: 'on_its_way' });
    isDispatcherAway = true;
    expect(await why(oid)).toMatchObject({ verdict: 'dispatcher_away' });
  });
});
