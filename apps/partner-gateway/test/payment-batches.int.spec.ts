import { Logger } from '@nestjs/common';
import { CheckoutTokens } from '@tandem/auth';
import { PAYMENT_RECEIVED, type PaymentReceived, SALE_CLOSED, SALE_COMPLETED } from '@tandem/contracts';
import { ConcurrentUpdateError } from '@tandem/database';
import { currentEvent, EventBatch, PermanentEventError } from '@tandem/messaging';
import { eventually, keepLocks, uniqueId } from '@tandem/testing';
import { DataSource } from 'typeorm';
import { SaleService } from '../src/sale/sale.service';
import { closure, Gateway, hashOf, purchase, received, type TestPartner, timeOf, traceIdOf } from './gateway';
import { type PaymentWorld, randomFrom, randomPayments, shuffle } from './payment-world';

describe('a batch of payment.received', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let world: PaymentWorld;
  const own = (more: Parameters<typeof purchase>[1] = {}) => ({
    attribution: { promotionCode: partner.promotionCode },
    ...more,
  });

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
    world = await makeWorld();
  });
  afterAll(() => gateway.stop());

  /**
   * Creates the references to partners for purchases: tokens and codes of two partners, of an inactive partner and of an ended promotion,
   * and invalid tokens and codes.
   */
  async function makeWorld(): Promise<PaymentWorld> {
    const [other, inactive, ended] = [
      await gateway.createPartner(),
      await gateway.createPartner(),
      await gateway.createPartner(),
    ];
    const checkoutToken = await gateway.checkoutToken(partner.token, '?ref_id=order-1');
    const tokens = new CheckoutTokens(gateway.env['CHECKOUT_SIGNING_KEYS'] as string);
    const claims = tokens.verify(checkoutToken, new Date()).claims;
    if (!claims) throw new Error('a new token must be valid');
    const inactiveToken = await gateway.checkoutToken(inactive.token);
    await gateway.manage('PATCH', `/admin/partners/${inactive.id}`, { active: false });
    // The promotion ended a day ago, which is before all payments of the tests.
    await gateway.database.query(
      `update partner.promotion set active = false, deactivated_at = now() - interval '1 day' where id = $1`,
      [ended.promotionId],
    );
    return {
      none: undefined,
      token: { checkoutToken, data4: 'd4' },
      testToken: { checkoutToken: await gateway.checkoutToken(partner.testToken) },
      inactive: { checkoutToken: inactiveToken },
      forged: { checkoutToken: `${checkoutToken.slice(0, -3)}AAA` },
      expired: { checkoutToken: tokens.sign({ ...claims, expiresAt: new Date(0) }) },
      ofAnother: { checkoutToken: tokens.sign({ ...claims, partnerId: other.id }) },
      expiredAndCode: {
        checkoutToken: tokens.sign({ ...claims, expiresAt: new Date(0) }),
        promotionCode: other.promotionCode,
      },
      code: { promotionCode: other.promotionCode.toLowerCase(), data4: 'd4' },
      unknownCode: { promotionCode: uniqueId('NONE') },
      endedCode: { promotionCode: ended.promotionCode },
    };
  }

  describe('and a separate transaction for each of its events', () => {
    /**
     * Returns the stored sales and events of a run in a form that can be compared with other runs: without sequence numbers, e-mail hashes
     * and times of writing, and without the run’s prefix in the ids of sales.
     */
    const stateOf = async (run: string) => {
      const sales = await gateway.database.query<Record<string, unknown>>(
        `select * from partner.sale where oid like $1 || '%' order by oid`,
        [run],
      );
      const events = await publishedOf(SALE_COMPLETED.topic, run);
      const closings = await publishedOf(SALE_CLOSED.topic, run);
      const nameOf = (oid: unknown) => String(oid).replace(run, '');
      return {
        sales: sales.map(({ seq, created_at, updated_at, qualified_at, email_hash, ...row }) => {
          void [seq, created_at, updated_at, email_hash];
          const hold_evidence = JSON.stringify(row['hold_evidence']).replaceAll(run, '');
          return { ...row, hold_evidence, oid: nameOf(row['oid']), qualified: qualified_at !== null };
        }),
        events: [...events, ...closings].map(({ key, data, headers }) => {
          return { version: headers['ce_sequence'], ...data, oid: nameOf(key), qualifiedAt: undefined };
        }),
      };
    };
    const publishedOf = (topic: string, run: string) => gateway.database.publishedEvents('partner', topic, run);

    it.each([1, 2, 3, 4, 5, 6])('lead to the same state for random events in random order (seed %i)', async (seed) => {
      const runs = ['one', 'all', 'some'].map((name) => uniqueId(`${name}${seed}`));
      const [oneByOne, allAtOnce, inParts] = runs.map((run) => {
        const random = randomFrom(seed);
        return shuffle(randomPayments(run, world, 100, random), random);
      }) as [PaymentReceived[], PaymentReceived[], PaymentReceived[]];
      await gateway.receive(...oneByOne);
      await gateway.receiveBatch(allAtOnce);
      for (let from = 0, size = 1; from < inParts.length; from += size, size += 3) {
        await gateway.receiveBatch(inParts.slice(from, from + size));
      }
      const [expected, ...actual] = await Promise.all(runs.map(stateOf));
      expect(actual[0]).toEqual(expected);
      expect(actual[1]).toEqual(expected);
      // The random payments must have caused at least these results.
      const seen = expected?.sales.flatMap((sale) => Object.values(sale));
      for (const value of [
        'qualified',
        'too_many_sales',
        'pending',
        'failed',
        'refunded',
        'unattributed',
        'checkout',
      ]) {
        expect(seen).toContain(value);
      }
    });
  });

  it.each([1, 100])('needs six statements for %i events, not counting BEGIN, the inbox and COMMIT', async (count) => {
    const events = Array.from({ length: count }, () => purchase(uniqueId('sub'), own()));
    expect(await gateway.receiveBatch(events)).toBe(6);
    for (const { subscriptionId } of events) expect(await gateway.completed(subscriptionId)).toHaveLength(1);
  });

  it('needs no statement if no payment concerns a sale', async () => {
    const renewal = { ...closure(uniqueId('sub'), 'subscription.refunded', 1), type: 'subscription.renewed' } as const;
    expect(await gateway.receiveBatch([renewal, purchase(uniqueId('sub'), own({ firstPayment: false }))])).toBe(0);
  });

  it('publishes each sale as part of the trace of its own payment', async () => {
    const events = [1, 2, 3].map((minute) => purchase(uniqueId('sub'), own({ minute })));
    await gateway.receiveBatch(events);
    for (const event of events) {
      const [published] = await gateway.database.publishedEvents('partner', SALE_COMPLETED.topic, event.subscriptionId);
      expect(published?.headers['traceparent']).toContain(traceIdOf(event));
    }
  });

  it('is retried when another transaction has created one of its sales, which is not overwritten', async () => {
    const oid = uniqueId('sub');
    const dataSource = gateway.running.nest.get(DataSource);
    const record = (...events: PaymentReceived[]) =>
      dataSource.transaction((manager) => {
        const batch = new EventBatch(PAYMENT_RECEIVED.topic, manager);
        return gateway.running.nest.get(SaleService).recordPayments(events.map(received), batch);
      });
    const other = dataSource.createQueryRunner();
    await other.startTransaction();
    await keepLocks(other);
    await other.query(`insert into sale (oid, closed_by, closed_at) values ($1, 'refunded', $2)`, [oid, timeOf(9)]);
    const wait = (count: number) =>
      eventually(async () => {
        const [row] = await gateway.database.query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(row?.waiting).toBe(count);
      });
    const refused = expect(record(purchase(oid, own({ minute: 1 })))).rejects.toThrow(ConcurrentUpdateError);
    // `refused` must acquire the buyer's lock before `running` requests it. In the other order, the two transactions can deadlock. Postgres
    // would then abort one of them with an error other than ConcurrentUpdateError.
    await wait(1);
    const running = gateway.receiveBatch([purchase(oid, own({ minute: 2 })), purchase(uniqueId('sub'), own())]);
    await wait(2);
    await other.commitTransaction();
    await other.release();
    await Promise.all([refused, running]);
    expect(await gateway.sale(oid)).toMatchObject({
      status: 'refunded',
      closed_by: 'refunded',
      payment_status: 'captured',
    });
    expect(await gateway.completed(oid)).toEqual([]);
  });

  it('is rolled back if an event is invalid, and then only the invalid event becomes a dead letter', async () => {
    const good = Array.from({ length: 20 }, () => purchase(uniqueId('sub'), own()));
    const unreadable = purchase(uniqueId('sub'), own({ occurredAt: '2026-W10-1' }));
    const events = [...good.slice(0, 10), unreadable, ...good.slice(10)];
    await expect(gateway.receiveBatch(events)).rejects.toThrow(PermanentEventError);
    for (const { subscriptionId } of good) expect(await gateway.sale(subscriptionId)).toBeUndefined();
    await gateway.publish(...events);
    await eventually(async () => {
      for (const { subscriptionId } of good) expect(await gateway.completed(subscriptionId)).toHaveLength(1);
      const letters = await gateway.database.query(`select attempts from partner.dead_letter where key = $1`, [
        unreadable.subscriptionId,
      ]);
      expect(letters).toEqual([{ attempts: 1 }]);
    });
  });

  describe('with an unattributed purchase', () => {
    let lines: { line: Record<string, unknown>; key: string | undefined }[];

    beforeEach(() => {
      lines = [];
      jest.spyOn(Logger.prototype, 'log').mockImplementation((line: unknown) => {
        if ((line as { msg?: string }).msg !== 'purchase.unattributed') return;
        lines.push({ line: line as Record<string, unknown>, key: currentEvent()?.key });
      });
    });
    afterEach(() => jest.restoreAllMocks());

    it.each<[keyof PaymentWorld, string]>([
      ['none', 'no_reference'],
      ['forged', 'token_forged'],
      ['expired', 'token_expired'],
      ['ofAnother', 'token_of_another_discount'],
      ['unknownCode', 'unknown_code'],
      ['endedCode', 'code_ended'],
    ])('logs one line for the reference "%s", with the reason %s', async (reference, reason) => {
      const [oid, sold] = [uniqueId('sub'), uniqueId('sub')];
      await gateway.receiveBatch([
        purchase(sold, own()),
        purchase(oid, { attribution: world[reference] }),
        purchase(uniqueId('sub'), { firstPayment: false }),
      ]);
      expect(lines).toEqual([{ line: { msg: 'purchase.unattributed', oid, reason }, key: oid }]);
      const row = await gateway.sale(oid);
      if (reference === 'none') expect(row).toBeUndefined();
      else expect(row).toMatchObject({ status: 'unattributed', unattributed_reason: reason });
      expect(await gateway.sale(sold)).toMatchObject({ unattributed_reason: null });
    });

    it('logs no line when the batch contains an invalid event', async () => {
      const unreadable = purchase(uniqueId('sub'), own({ occurredAt: '2026-W10-1' }));
      await expect(gateway.receiveBatch([purchase(uniqueId('sub')), unreadable])).rejects.toThrow(PermanentEventError);
      expect(lines).toEqual([]);
    });

    it('stores the reason, and removes it when another event of the subscription names a partner', async () => {
      const oid = uniqueId('sub');
      const customer = { emailHash: hashOf(oid) };
      await gateway.receive(purchase(oid, { attribution: world.expired, minute: 2, customer }));
      expect(await gateway.sale(oid)).toMatchObject({ unattributed_reason: 'token_expired' });
      await gateway.receive(purchase(oid, { attribution: world.token, minute: 1, paymentStatus: 'pending', customer }));
      expect(await gateway.sale(oid)).toMatchObject({ status: 'qualified', unattributed_reason: null });
    });
  });
});
