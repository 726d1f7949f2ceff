import { eventually, uniqueId } from '@tandem/testing';
import { type Coupon, groupOf, purchase, redemption, type TestGroup, Vouchers } from './vouchers';

describe('payment.received', () => {
  let vouchers: Vouchers;
  let group: TestGroup;
  let coupon: Coupon;

  beforeAll(async () => {
    vouchers = await Vouchers.start();
  });
  afterAll(() => vouchers.stop());
  beforeEach(async () => {
    group = await vouchers.createGroup();
    coupon = await createOne(group);
  });

  const createOne = async (of: TestGroup): Promise<Coupon> =>
    (await vouchers.create(of, { count: 1 })).body.items[0] as Coupon;
  const redeemed = (of = group) => vouchers.published('coupon.redeemed', of.id);
  const look = async (of = group): Promise<Coupon> => (await vouchers.list(of)).body.items[0] as Coupon;

  /** Expects that the group's coupon is not redeemed, that the group counts no redemption, and that coupon.redeemed was not published. */
  const expectUntouched = async (of = group): Promise<void> => {
    expect((await look(of)).redeemedAt).toBeNull();
    expect(await vouchers.group(of.id)).toMatchObject({ redeemed: 0 });
    expect(await redeemed(of)).toEqual([]);
  };

  it('redeems the coupon of a captured purchase, counts it and publishes coupon.redeemed [vouchers.states, vouchers.redeem]', async () => {
    const occurredAt = '2026-03-01T10:00:00.000Z';
    await vouchers.receive(purchase(coupon.code, { occurredAt, subscriptionId: 'sub_1' }));
    expect(await look()).toMatchObject({ status: 'redeemed', redeemedAt: occurredAt });
    expect(await vouchers.group(group.id)).toMatchObject({ issued: 1, redeemed: 1 });
    expect(await redeemed()).toEqual([
      {
        voucherGroupId: group.id,
        batchId: coupon.batchId,
        partnerId: group.partnerId,
        environment: 'live',
        couponId: coupon.id,
        codeLast4: coupon.code.slice(-4),
        subscriptionId: 'sub_1',
        redeemedAt: occurredAt,
      },
    ]);
  });

  it('redeems the coupon at the reported time if the event has the type coupon.redeemed', async () => {
    await vouchers.receive(redemption(coupon.code, '2026-03-02T11:00:00.000Z', 'sub_2'));
    expect(await look()).toMatchObject({ status: 'redeemed', redeemedAt: '2026-03-02T11:00:00.000Z' });
    expect(await redeemed()).toMatchObject([{ subscriptionId: 'sub_2' }]);
  });

  it.each<[string, (code: string) => string]>([
    ['without hyphens', (code) => code.replaceAll('-', '')],
    ['in lower case', (code) => code.toLowerCase()],
    ['with hyphens in other places', (code) => `-${code.replaceAll('-', '').replace(/(.{3})/g, '$1-')}`],
    ['with spaces around it', (code) => ` ${code}\n`],
  ])('redeems a coupon whose code was entered %s [vouchers.code-match]', async (_name, write) => {
    await vouchers.receive(purchase(write(coupon.code)));
    expect((await look()).status).toBe('redeemed');
  });

  it('is consumed from the bus [vouchers.redeem]', async () => {
    await vouchers.publish(purchase(coupon.code));
    await eventually(async () => expect((await look()).status).toBe('redeemed'));
    expect(await redeemed()).toHaveLength(1);
  });

  it('redeems a coupon even when its group is now inactive or has not started yet', async () => {
    await vouchers.database.query(`update voucher.voucher_group set status = 'inactive' where id = $1`, [group.id]);
    const early = await vouchers.createGroup({ validFrom: '2099-01-01T00:00:00.000Z' });
    await vouchers.receive(purchase(coupon.code), purchase((await createOne(early)).code));
    expect(await redeemed()).toHaveLength(1);
    expect(await redeemed(early)).toHaveLength(1);
  });

  it('causes coupon.redeemed with the environment test for a coupon of the test environment', async () => {
    const test = await vouchers.createGroup({ environment: 'test' });
    await vouchers.receive(purchase((await createOne(test)).code));
    expect(await redeemed(test)).toMatchObject([{ environment: 'test' }]);
  });

  describe('when it redeems no coupon', () => {
    it.each<[string, (code: string) => ReturnType<typeof purchase>]>([
      ['for a pending payment', (code) => purchase(code, { paymentStatus: 'pending' })],
      ['for a failed payment', (code) => purchase(code, { paymentStatus: 'failed' })],
      ['for a purchase without a code', () => purchase(undefined)],
      ['for an unknown code', () => purchase('ABCD-EFGH-JKLM-NPQR')],
      ['for a text that is not a code', () => purchase('0-1-I-O')],
      ['for a code with an extra character', (code) => purchase(`${code}A`)],
      [
        'for a refund',
        () =>
          ({ ...purchase(undefined), type: 'subscription.refunded', purchase: undefined }) as ReturnType<
            typeof purchase
          >,
      ],
    ])('changes nothing %s [vouchers.redeem]', async (_name, event) => {
      await vouchers.receive(event(coupon.code));
      await expectUntouched();
    });

    it('changes nothing for a revoked coupon [vouchers.states]', async () => {
      await vouchers.database.query(`update voucher.coupon set status = 'revoked' where group_id = $1`, [group.id]);
      await vouchers.receive(purchase(coupon.code));
      expect((await look()).status).toBe('revoked');
      await expectUntouched();
    });

    it('changes nothing for a payment at or after the end of the group [vouchers.states]', async () => {
      const ending = await vouchers.createGroup(groupOf({ validUntil: '2099-01-01T00:00:00.000Z' }));
      const { code } = await createOne(ending);
      await vouchers.receive(
        purchase(code, { occurredAt: '2099-01-01T00:00:00.000Z' }),
        redemption(code, '2099-01-02T00:00:00.000Z'),
      );
      await expectUntouched(ending);
    });

    it.each<[string, string]>([
      ['newer', '2026-03-03T00:00:00.000Z'],
      ['older', '2026-03-01T00:00:00.000Z'],
    ])(
      'changes nothing for a redeemed coupon, even if the payment is %s than the redemption [vouchers.states]',
      async (_name, occurredAt) => {
        const first = { occurredAt: '2026-03-02T00:00:00.000Z', subscriptionId: 'sub_first' };
        await vouchers.receive(purchase(coupon.code, first), purchase(coupon.code, { occurredAt }));
        expect(await look()).toMatchObject({ redeemedAt: first.occurredAt });
        expect(await redeemed()).toMatchObject([{ subscriptionId: 'sub_first' }]);
        expect(await vouchers.group(group.id)).toMatchObject({ redeemed: 1 });
      },
    );

    it('changes nothing for a purchase if an event of the type coupon.redeemed has already reported the redemption', async () => {
      const subscriptionId = uniqueId('sub');
      const bought = purchase(coupon.code, { subscriptionId });
      await vouchers.receive(redemption(coupon.code, bought.occurredAt, subscriptionId), bought, bought);
      expect(await redeemed()).toHaveLength(1);
      expect(await vouchers.group(group.id)).toMatchObject({ redeemed: 1 });
    });
  });

  it('redeems a coupon only once when many payments with the coupon arrive concurrently [vouchers.redeem]', async () => {
    await vouchers
      .whileGroupIsLocked(group.id, async () => {
        const all = Promise.all(Array.from({ length: 5 }, () => vouchers.receive(purchase(coupon.code))));
        await vouchers.waiting(5);
        return { all };
      })
      .then(({ all }) => all);
    expect(await redeemed()).toHaveLength(1);
    expect(await vouchers.group(group.id)).toMatchObject({ redeemed: 1 });
  });

  it('redeems a coupon even after its group has ended if the payment was made before the end', async () => {
    const validUntil = new Date(Date.now() + 1000).toISOString();
    const ending = await vouchers.createGroup({ validUntil });
    const { code } = await createOne(ending);
    const occurredAt = new Date(Date.parse(validUntil) - 500).toISOString();
    await eventually(async () => expect((await look(ending)).status).toBe('expired'));
    await vouchers.receive(purchase(code, { occurredAt }));
    expect(await look(ending)).toMatchObject({ status: 'redeemed', redeemedAt: occurredAt });
  });
});
