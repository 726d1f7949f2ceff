import type { SaleClosing } from '@tandem/contracts';
import { closureNoticeId, type PostbackDeliveryView, type PostbackEndpointStatus } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import type { SaleStep, SaleStory } from '../src/sale-story/sale-story.dto';
import { closure, Gateway, purchase, type TestPartner, timeOf } from './gateway';

const ID = '01910000-0000-7000-8000-00000000000a';
const TIME = '2026-01-05T09:30:00.000Z';
const NEXT = '2026-01-05T09:35:00.000Z';
const LATER = '2999-01-05T09:35:00.000Z';

const ENDPOINT: PostbackEndpointStatus = {
  url: 'https://partner.example.com/sales',
  authMethod: 'Bearer',
  hasKey: true,
  status: 'active',
  signingEnabled: true,
  notifyClosures: false,
  createdAt: TIME,
  updatedAt: TIME,
  pausedUntil: null,
};
const GOOD = { number: 2, at: TIME, status: 200, latencyMs: 12, error: null, response: 'ok' };
const NO_ATTEMPT = { deliveredAt: null, nextAttemptAt: null, attempts: [] };
const BAD = { number: 1, at: TIME, status: 503, latencyMs: 41, error: 'status', response: 'busy' };

/** Reads the story of a sale and its postback from the real manager API. A stand-in replaces postback-dispatcher. */
describe('GET /admin/sales/{oid}/story', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let endpoint: PostbackEndpointStatus | null;
  let delivery: Partial<PostbackDeliveryView> | null;
  /** The notices of the closed sale, the newest first. `of` is the closing that a notice reports. */
  let notices: readonly (Partial<PostbackDeliveryView> & { readonly of?: SaleClosing })[];
  let deadLetters: readonly object[];
  let isDispatcherDown: boolean;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    endpoint = ENDPOINT;
    delivery = null;
    notices = [{ ...NO_ATTEMPT, status: 'delivered', deliveredAt: TIME }];
    deadLetters = [];
    isDispatcherDown = false;
    gateway.dispatcher.answerBy(({ url }) => {
      if (isDispatcherDown) return [503, { code: 'service_unavailable' }];
      if (url.startsWith('/internal/dead-letters')) return [200, { items: deadLetters }];
      if (url.endsWith('/status')) return endpoint ? [200, endpoint] : [404, { code: 'postback_not_configured' }];
      const oid = new URL(url, 'http://x').searchParams.get('oid') ?? '';
      const items =
        delivery === null
          ? []
          : [
              // postback-dispatcher lists the newest delivery first, so the notices about the closed sale precede its postback.
              ...notices.map(({ of = 'refunded', ...notice }) => ({
                id: closureNoticeId('live', oid, of),
                kind: 'closure',
                oid,
                refId: null,
                createdAt: TIME,
                ...notice,
              })),
              { id: ID, kind: 'sale', oid, refId: null, createdAt: TIME, ...delivery },
            ];
      return [200, { items, nextCursor: null, hasMore: false }];
    });
  });

  const ask = (oid: string, query = '') =>
    gateway.manage('GET', `/admin/sales/${encodeURIComponent(oid)}/story${query}`);
  const story = async (oid: string, query = ''): Promise<SaleStory> => {
    const { status, body } = await ask(oid, query);
    expect(status).toBe(200);
    return body as unknown as SaleStory;
  };

  it('answers 404 not_found for an oid with U+0000', async () => {
    expect(await ask('a\0')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  const logs = (oid: string): SaleStep => ({ step: 'read_logs', oid });

  const sell = async (change: Parameters<typeof purchase>[1] = {}): Promise<string> => {
    const oid = uniqueId('sub');
    await gateway.receive(purchase(oid, { attribution: { promotionCode: partner.promotionCode }, ...change }));
    return oid;
  };
  const replay = (environment: 'live' | 'test' = 'live'): SaleStep => ({
    step: 'replay_delivery',
    partnerId: partner.id,
    environment,
    deliveryId: ID,
  });
  const sent = { deliveredAt: null, nextAttemptAt: null, attempts: [BAD] };

  it('reports a delivered postback, with a replay as the next step [admin.sale-story]', async () => {
    const oid = await sell();
    delivery = { status: 'delivered', deliveredAt: TIME, nextAttemptAt: null, attempts: [BAD, GOOD] };
    expect(await story(oid)).toMatchObject({
      verdict: 'delivered',
      reason: expect.stringContaining('answered 200'),
      next: [replay()],
    });
  });

  it('contains the sale, its partner, the delivery with its attempts, and the endpoint [admin.sale-story]', async () => {
    const oid = await sell();
    delivery = { status: 'pending', deliveredAt: null, nextAttemptAt: NEXT, attempts: [BAD] };
    expect(await story(oid)).toMatchObject({
      oid,
      sale: { oid, amount: '99.90', currency: 'USD', attributedBy: 'code' },
      partner: { id: partner.id, active: true },
      delivery: { id: ID, attempts: [BAD] },
      endpoint: ENDPOINT,
      deadLetters: [],
      dispatcherFailure: null,
    });
  });

  it('reports when the first attempt of a delivery is due [admin.sale-story]', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'pending', nextAttemptAt: LATER, attempts: [] };
    expect(await story(oid)).toMatchObject({
      verdict: 'waiting',
      reason: `the first attempt is due at ${LATER}`,
      next: [replay()],
    });
  });

  it.each([
    ['waiting', 'first', []],
    ['failing', 'next', [BAD]],
    ['waiting', 'next', [BAD, GOOD]],
  ] as const)(
    'reports %s, and suggests no replay, while the %s attempt after %j may be in flight [admin.sale-story]',
    async (verdict, which, attempts) => {
      const oid = await sell();
      const due = new Date(Date.now() - 5_000).toISOString();
      delivery = { ...sent, status: 'pending', nextAttemptAt: due, attempts: [...attempts] };
      const told = await story(oid);
      expect(told).toMatchObject({ verdict, next: [logs(oid)] });
      expect(told.reason).toContain(`the ${which} attempt was due at ${due}: it is in flight, or starts now`);
      expect(told.reason).toMatch(/takes at most 15 s by default, and a replay would not send it earlier$/);
    },
  );

  it('suggests checking postback-dispatcher when an attempt has been due for longer than an attempt can take [admin.sale-story]', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'pending', nextAttemptAt: NEXT };
    expect(await story(oid)).toMatchObject({
      verdict: 'failing',
      reason: expect.stringContaining(
        `was due at ${NEXT}, and its result is not stored: postback-dispatcher has a backlog`,
      ),
      next: [{ step: 'check_app', app: 'postback-dispatcher' }, logs(oid)],
    });
  });

  it('suggests no replay when the next attempt only waits for the end of a pause [admin.sale-story]', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'pending', nextAttemptAt: LATER };
    endpoint = { ...ENDPOINT, pausedUntil: LATER };
    expect(await story(oid)).toMatchObject({
      verdict: 'failing',
      reason: expect.stringContaining(`the next attempt is made when the pause of the endpoint ends, at ${LATER}`),
      next: [logs(oid)],
    });
  });

  it('reports a replay of a delivered postback as waiting, not as a failure [admin.sale-story]', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'pending', nextAttemptAt: NEXT, attempts: [BAD, GOOD] };
    expect(await story(oid)).toMatchObject({
      verdict: 'waiting',
      reason: expect.stringMatching(/is being sent again/),
    });
  });

  it('reports how an endpoint fails, and when its pause ends [admin.sale-story]', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'pending', nextAttemptAt: LATER };
    endpoint = { ...ENDPOINT, pausedUntil: '2999-01-05T09:34:00.000Z' };
    expect(await story(oid)).toMatchObject({
      verdict: 'failing',
      reason: expect.stringMatching(/failed with status 503; .* paused until 2999-01-05T09:34/),
      next: [replay()],
    });
  });

  it.each(['held', 'failed'] as const)(
    'reports that the endpoint is disabled when the delivery is %s [admin.sale-story]',
    async (status) => {
      const oid = await sell();
      delivery = { ...sent, status };
      endpoint = { ...ENDPOINT, status: 'disabled', disabledReason: 'deliveries_exhausted' };
      expect(await story(oid)).toMatchObject({
        verdict: 'disabled',
        reason: expect.stringContaining('deliveries_exhausted'),
        next: [{ step: 'enable_postback', partnerId: partner.id, environment: 'live' }, replay()],
      });
    },
  );

  it('includes the environment of a test sale in the next steps', async () => {
    const checkoutToken = await gateway.checkoutToken(partner.testToken);
    const oid = await sell({ attribution: { checkoutToken }, minute: 59 });
    delivery = { ...sent, status: 'failed' };
    expect(await story(oid)).toMatchObject({ verdict: 'given_up', next: [replay('test')] });
  });

  it('reports that the partner has not configured an endpoint', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'held', attempts: [] };
    endpoint = null;
    expect(await story(oid)).toMatchObject({ verdict: 'not_configured', next: [replay()] });
  });

  it('reports a delivery that is still held although the endpoint is enabled', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'held', attempts: [] };
    expect(await story(oid)).toMatchObject({ verdict: 'held_delivery', next: [replay()] });
  });

  it('reports a sale that a fraud rule holds, with both decisions as next steps [admin.sale-story]', async () => {
    const oid = await sell({ customer: { emailMasked: 'a***z@yopmail.com' } });
    expect(await story(oid)).toMatchObject({
      verdict: 'held',
      reason: expect.stringContaining('disposable_email'),
      next: [
        { step: 'release_sale', oid },
        { step: 'refuse_sale', oid },
      ],
    });
  });

  it('reports a refused sale [admin.sale-story]', async () => {
    const oid = await sell({ customer: { emailMasked: 'a***z@yopmail.com' } });
    expect(await story(oid)).toMatchObject({ verdict: 'held', decision: null });
    await gateway.manage('POST', `/admin/sales/${oid}/refuse`);
    expect(await story(oid)).toMatchObject({ verdict: 'refused', next: [logs(oid)] });
  });

  it.each(['release', 'refuse'])(
    'names the manager and the time of a decision to %s [admin.sale-story]',
    async (act) => {
      const oid = await sell({ customer: { emailMasked: 'a***z@yopmail.com' } });
      const from = Date.now();
      await gateway.manage('POST', `/admin/sales/${oid}/${act}`, { note: 'A reseller' });
      const { sale, decision } = await story(oid);
      expect(sale).toMatchObject({ holdDecision: `${act}d`, holdNote: 'A reseller' });
      expect(decision).toEqual({ at: expect.any(String), actor: 'manager-1' });
      expect(Math.abs(Date.parse(String(decision?.at)) - from)).toBeLessThan(60_000);
    },
  );

  it('lists the managers and the times of the replays of the postback, newest first [admin.sale-story]', async () => {
    const oid = await sell();
    delivery = { ...sent, status: 'failed' };
    expect(await story(oid)).toMatchObject({ replays: [] });
    const entries = ['anna', 'ben'].map((actor) => `('${actor}', 'r', 'delivery.replayed', 'delivery', '${ID}')`);
    await gateway.database.query(
      `insert into partner.audit_entry (actor, request_id, action, entity, entity_id)
       values ${entries.join()}, ('anna', 'r', 'delivery.replay_requested', 'delivery', '${ID}')`,
    );
    const { replays } = await story(oid);
    expect(replays).toEqual(['ben', 'anna'].map((actor) => ({ at: expect.any(String), actor })));
  });

  it.each([
    ['payment_pending', { paymentStatus: 'pending' }, 'not captured yet'],
    ['failed', { paymentStatus: 'failed' }, 'the payment failed'],
    ['failed', { amount: '0.00' }, 'nothing was paid'],
  ] as const)('reports the verdict %s for a purchase with %j', async (verdict, change, text) => {
    const oid = await sell(change);
    expect(await story(oid)).toMatchObject({ verdict, reason: expect.stringContaining(text) });
  });

  it('reports why a purchase is unattributed: a forged or expired token, or an unknown code [admin.sale-story]', async () => {
    const token = await gateway.checkoutToken(partner.token);
    const later = new Date(Date.now() + 400 * 86_400_000).toISOString();
    const cases = [
      [
        { attribution: { checkoutToken: `${token.slice(0, -4)}AAAA` } },
        'the signature of its checkout token is invalid',
      ],
      [{ attribution: { checkoutToken: token }, occurredAt: later }, 'had expired'],
      [{ attribution: { promotionCode: 'NOBODYS' } }, 'belongs to no partner'],
    ] as const;
    for (const [change, text] of cases) {
      const oid = await sell(change);
      expect(await story(oid)).toMatchObject({
        verdict: 'unattributed',
        reason: expect.stringContaining(text),
        next: [logs(oid)],
      });
    }
  });

  it('reports which partner owns the sale when another partner is expected [admin.sale-story]', async () => {
    const other = await gateway.createPartner();
    const oid = await sell({ attribution: { promotionCode: other.promotionCode } });
    expect(await story(oid, `?partnerId=${partner.id}`)).toMatchObject({
      verdict: 'another_partner',
      reason: expect.stringContaining(other.id),
      next: [{ step: 'list_promotions', partnerId: other.id }],
    });
  });

  it('reports an early refund, both before and after its purchase arrives [admin.sale-story]', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(closure(oid, 'subscription.refunded', 5));
    expect(await story(oid)).toMatchObject({
      verdict: 'refunded_before_purchase',
      reason: expect.stringContaining('its purchase has not arrived'),
    });
    await gateway.receive(
      purchase(oid, { attribution: { promotionCode: partner.promotionCode }, occurredAt: timeOf(0) }),
    );
    expect(await story(oid)).toMatchObject({
      verdict: 'refunded_before_purchase',
      reason: expect.stringContaining('before'),
    });
  });

  it('reports that a refund stopped the delivery permanently [admin.sale-story]', async () => {
    const oid = await sell();
    await gateway.receive(closure(oid, 'subscription.refunded', 5));
    delivery = { ...sent, status: 'failed', error: 'sale refunded' };
    expect(await story(oid)).toMatchObject({
      verdict: 'refunded',
      reason: expect.stringMatching(/^the sale was refunded at .* before its postback was delivered/),
      next: [logs(oid)],
    });
    expect((await story(oid)).delivery?.error).toBe('sale refunded');
  });

  it('reports a delivery that is about to be stopped after a recent chargeback [admin.sale-story]', async () => {
    const oid = await sell();
    await gateway.receive(closure(oid, 'subscription.charged_back', 5));
    delivery = { ...sent, status: 'pending', nextAttemptAt: NEXT };
    expect(await story(oid)).toMatchObject({
      verdict: 'refunded',
      reason: expect.stringMatching(/charged back at .* on its way/),
      next: [logs(oid), { step: 'list_dead_letters' }],
    });
  });

  it('suggests no replay of a delivered postback whose sale has since been refunded [admin.sale-story]', async () => {
    const oid = await sell();
    await gateway.receive(closure(oid, 'subscription.refunded', 5));
    delivery = { status: 'delivered', deliveredAt: TIME, nextAttemptAt: null, attempts: [GOOD] };
    expect(await story(oid)).toMatchObject({ verdict: 'delivered', next: [logs(oid)] });
  });

  const noticeId = (oid: string, closing: SaleClosing = 'refunded'): string => closureNoticeId('live', oid, closing);

  /** Creates a sale that was refunded after its postback had been delivered. @returns the id of the sale */
  const sellAndRefund = async (): Promise<string> => {
    const oid = await sell();
    await gateway.receive(closure(oid, 'subscription.refunded', 5));
    delivery = { status: 'delivered', deliveredAt: TIME, nextAttemptAt: null, attempts: [GOOD] };
    return oid;
  };

  it.each([
    ['delivered', { deliveredAt: NEXT }, /the partner was notified at 2026-01-05T09:35/, false],
    ['pending', { nextAttemptAt: LATER, attempts: [BAD] }, /not been notified yet: .* failed with status 503/, true],
    ['pending', { nextAttemptAt: LATER }, /the notice to the partner is due at 2999-01-05T09:35/, false],
    ['failed', { attempts: [BAD] }, /not been notified: every attempt failed, the last with status 503/, true],
    ['held', {}, /not been notified: the notice was held/, true],
  ] satisfies [PostbackDeliveryView['status'], Partial<PostbackDeliveryView>, RegExp, boolean][])(
    'reports a refund notice that has the status %s and the properties %j [admin.sale-story]',
    async (status, change, reason, isReplayed) => {
      const oid = await sellAndRefund();
      notices = [{ ...NO_ATTEMPT, ...change, status }];
      const told = await story(oid);
      expect(told).toMatchObject({ verdict: 'delivered', notice: { id: noticeId(oid), kind: 'closure', status } });
      expect(told.reason).toMatch(reason);
      expect(told.next).toEqual([...(isReplayed ? [{ ...replay(), deliveryId: noticeId(oid) }] : []), logs(oid)]);
    },
  );

  it('suggests no replay of a notice while its attempt may be in flight [admin.sale-story]', async () => {
    const oid = await sellAndRefund();
    const due = new Date(Date.now() - 5_000).toISOString();
    notices = [{ ...NO_ATTEMPT, status: 'pending', nextAttemptAt: due, attempts: [BAD] }];
    expect(await story(oid)).toMatchObject({
      reason: expect.stringMatching(/not been notified yet: .* failed with status 503; .* in flight, or starts now/),
      next: [logs(oid)],
    });
  });

  it('suggests checking postback-dispatcher when a notice has been due for longer than an attempt can take [admin.sale-story]', async () => {
    const oid = await sellAndRefund();
    notices = [{ ...NO_ATTEMPT, status: 'pending', nextAttemptAt: NEXT }];
    expect(await story(oid)).toMatchObject({
      reason: expect.stringContaining(`the notice to the partner was due at ${NEXT}, and its result is not stored`),
      next: [{ step: 'check_app', app: 'postback-dispatcher' }, logs(oid)],
    });
  });

  it('does not show the notice of an earlier refund as the notice of a later chargeback [admin.sale-story]', async () => {
    const oid = await sellAndRefund();
    await gateway.receive(closure(oid, 'subscription.charged_back', 6));
    endpoint = { ...ENDPOINT, notifyClosures: true };
    const told = await story(oid);
    expect(told).toMatchObject({ sale: { closedBy: 'charged_back' }, notice: null });
    expect(told.reason).toMatch(/charged back; there is no notice for the partner/);
  });

  it.each([
    ['refunded', ['subscription.charged_back', 'subscription.refunded'], ['refunded', 'charged_back']],
    ['charged_back', ['subscription.refunded', 'subscription.charged_back'], ['refunded', 'charged_back']],
    ['refunded', ['subscription.charged_back', 'subscription.refunded'], ['charged_back', 'refunded']],
  ] as const)(
    'shows the notice of the latest closing, %s, after the events %j, when the notices are listed as %j [admin.sale-story]',
    async (closedBy, closings, listed) => {
      const oid = await sell();
      for (const [index, closing] of closings.entries()) await gateway.receive(closure(oid, closing, 5 + index));
      delivery = { status: 'delivered', deliveredAt: TIME, nextAttemptAt: null, attempts: [GOOD] };
      notices = listed.map((of) => ({ ...NO_ATTEMPT, of, status: 'delivered', deliveredAt: NEXT }));
      expect(await story(oid)).toMatchObject({ sale: { closedBy }, notice: { id: noticeId(oid, closedBy) } });
    },
  );

  it('reports the notice of a sale whose postback was stopped after an attempt without an answer [admin.sale-story]', async () => {
    const oid = await sellAndRefund();
    delivery = { ...sent, status: 'failed', error: 'sale refunded' };
    notices = [{ ...NO_ATTEMPT, status: 'failed', attempts: [BAD] }];
    expect(await story(oid)).toMatchObject({
      verdict: 'refunded',
      reason: expect.stringContaining('the partner has not been notified: every attempt failed'),
      next: [{ ...replay(), deliveryId: noticeId(oid) }, logs(oid)],
    });
  });

  it('suggests enabling a disabled endpoint before replaying the notice [admin.sale-story]', async () => {
    const oid = await sellAndRefund();
    notices = [{ ...sent, status: 'held', attempts: [] }];
    endpoint = { ...ENDPOINT, status: 'disabled', disabledReason: 'endpoint_gone' };
    const enable = { step: 'enable_postback', partnerId: partner.id, environment: 'live' };
    expect(await story(oid)).toMatchObject({ next: [enable, { ...replay(), deliveryId: noticeId(oid) }, logs(oid)] });
  });

  it.each([
    [false, 'the partner does not receive notices of refunds and chargebacks'],
    [true, 'there is no notice'],
  ])('reports a refund without a notice when `notifyClosures` is %s [admin.sale-story]', async (isWanted, reason) => {
    const oid = await sellAndRefund();
    notices = [];
    endpoint = { ...ENDPOINT, notifyClosures: isWanted };
    expect(await story(oid)).toMatchObject({
      notice: null,
      reason: expect.stringContaining(reason),
      next: [logs(oid)],
    });
  });

  it('suggests no replay of the postback of a sale that the partner revoked [admin.sale-story]', async () => {
    const oid = await sell();
    const body = { subscriptionId: oid, reason: 'fraud' };
    await gateway.request('PUT', '/api/v2/partner/subscription/revoke', { token: partner.token, body });
    delivery = { status: 'delivered', deliveredAt: TIME, nextAttemptAt: null, attempts: [GOOD] };
    expect(await story(oid)).toMatchObject({
      sale: { status: 'revoked' },
      reason: expect.stringMatching(/^the partner revoked the sale at .*; the postback was delivered/),
      next: [logs(oid)],
    });
  });

  it('reports an unknown oid [admin.sale-story]', async () => {
    const oid = uniqueId('sub');
    expect(await story(oid)).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringMatching(/^no such purchase is stored/),
      next: [{ step: 'list_unattributed_sales' }, logs(oid), { step: 'list_dead_letters' }],
    });
    expect((await story(oid)).sale).toBeNull();
  });

  it('answers 404 when the expected partner does not exist, whether the sale exists or not [admin.sale-story]', async () => {
    for (const asked of [await sell(), uniqueId('sub')]) {
      expect(await ask(asked, '?partnerId=nope')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  /** Stores a dead letter of partner-gateway. @returns the id of the dead letter */
  const addDeadLetter = async (oid: string, failedAt = new Date().toISOString()): Promise<string | undefined> => {
    const [letter] = await gateway.database.query<{ id: string }>(
      `insert into partner.dead_letter
         (consumer, event_id, topic, "partition", "offset", key, headers, payload, reason, attempts, failed_at)
       values ('partner-gateway', gen_random_uuid(), 'payment.received', 0, '1', $1, '{}', '', 'amount is missing', 1, $2)
       returning id`,
      [oid, failedAt],
    );
    return letter?.id;
  };

  it('reports the dead letter of a payment, with its replay as a next step [admin.sale-story]', async () => {
    const oid = uniqueId('sub');
    const letter = await addDeadLetter(oid);
    expect(await story(oid)).toMatchObject({
      verdict: 'dead_letter',
      reason: expect.stringContaining('amount is missing'),
      next: [logs(oid), { step: 'replay_dead_letter', app: 'partner-gateway', deadLetterId: letter }],
    });
  });

  it('reports the dead letter of a sale in postback-dispatcher [admin.sale-story]', async () => {
    const oid = await sell();
    deadLetters = [{ app: 'postback-dispatcher', id: '7', topic: 'sale.completed', reason: 'no', failedAt: TIME }];
    expect(await story(oid)).toMatchObject({
      verdict: 'dead_letter',
      deadLetters,
      next: [logs(oid), { step: 'replay_dead_letter', app: 'postback-dispatcher', deadLetterId: '7' }],
    });
  });

  it('reports the newest of the dead letters of partner-gateway and postback-dispatcher [admin.sale-story]', async () => {
    const oid = await sell();
    const failedAt = new Date();
    // The older dead letter is one hour old, so retention does not delete it during the test.
    const older = await addDeadLetter(oid, new Date(failedAt.getTime() - 3_600_000).toISOString());
    deadLetters = [
      {
        app: 'postback-dispatcher',
        id: '7',
        topic: 'sale.completed',
        reason: 'no',
        failedAt: failedAt.toISOString(),
      },
    ];
    const told = await story(oid);
    expect(told).toMatchObject({ deadLetters: [{ id: '7' }, { id: older }], reason: expect.stringContaining('no') });
    expect(told.next[1]).toMatchObject({ deadLetterId: '7' });
  });

  it('reports that a qualified sale has no delivery yet, or that postback-dispatcher cannot be reached', async () => {
    const oid = await sell();
    expect(await story(oid)).toMatchObject({ verdict: 'on_its_way' });
    isDispatcherDown = true;
    expect(await story(oid)).toMatchObject({
      verdict: 'dispatcher_unavailable',
      reason: 'postback-dispatcher is unavailable: Postbacks cannot be reached now; try again',
      next: [{ step: 'check_app', app: 'postback-dispatcher' }, logs(oid)],
    });
  });

  it('answers within 8 seconds when postback-dispatcher accepts requests but does not answer', async () => {
    const oid = await sell();
    gateway.dispatcher.hang();
    expect(await story(oid)).toMatchObject({ verdict: 'dispatcher_unavailable', sale: { oid } });
  }, 8_000); // shorter than the default of POSTBACK_DISPATCHER_TIMEOUT_MS, which is 10 s
});
