import type { LoggerService } from '@nestjs/common';
import { currentEvent } from '@tandem/messaging';
import { uniqueId } from '@tandem/testing';
import { RedemptionService } from '../src/coupon/redemption.service';
import { type Coupon, purchase, redemption, type TestGroup, Vouchers } from './vouchers';

describe('a batch of payment.received events', () => {
  let vouchers: Vouchers;
  let groups: TestGroup[];
  const lines: { eventId?: string; line: Record<string, unknown> }[] = [];
  const keep = (line: Record<string, unknown>): void => void lines.push({ eventId: currentEvent()?.id, line });
  const logger = { log: keep, warn: keep, error: keep } as unknown as LoggerService;

  beforeAll(async () => {
    vouchers = await Vouchers.start();
    vouchers.running.nest.useLogger(logger);
  });
  afterAll(() => vouchers.stop());
  beforeEach(async () => {
    groups = [await vouchers.createGroup(), await vouchers.createGroup()];
    lines.splice(0);
  });

  const create = async (group: TestGroup, count = 1): Promise<Coupon[]> =>
    (await vouchers.create(group, { count })).body.items as Coupon[];
  const redeemedBy = async (group: TestGroup): Promise<unknown[]> =>
    (await vouchers.published('coupon.redeemed', group.id)).map(({ couponId, subscriptionId }) => [
      couponId,
      subscriptionId,
    ]);
  const reasons = (): unknown[] => lines.map(({ line }) => line['reason'] ?? line['msg']);

  it('redeems coupons of several groups, and counts each coupon in its group', async () => {
    const [first = [], second = []] = [
      await create(groups[0] as TestGroup, 3),
      await create(groups[1] as TestGroup, 2),
    ];
    const coupons = [first[2], second[0], first[0], second[1], first[1]] as Coupon[];
    const payments = coupons.map(({ code }, index) => purchase(code, { subscriptionId: `sub_${index}` }));
    await vouchers.receiveBatch(...payments);
    const byId = (one: unknown[], other: unknown[]): number => (String(one) < String(other) ? -1 : 1);
    expect((await redeemedBy(groups[0] as TestGroup)).sort(byId as never)).toEqual(
      [
        [coupons[0]?.id, 'sub_0'],
        [coupons[2]?.id, 'sub_2'],
        [coupons[4]?.id, 'sub_4'],
      ].sort(byId),
    );
    expect(await vouchers.group((groups[0] as TestGroup).id)).toMatchObject({ redeemed: 3 });
    expect(await vouchers.group((groups[1] as TestGroup).id)).toMatchObject({ redeemed: 2 });
    expect(reasons()).toEqual(Array.from({ length: 5 }, () => 'coupon redeemed'));
  });

  it('redeems a coupon for the first valid payment, and logs why the other payments did not redeem it', async () => {
    const ending = await vouchers.createGroup({ validUntil: '2099-01-01T00:00:00.000Z' });
    const [coupon] = (await create(ending)) as [Coupon];
    const ids = await vouchers.receiveBatch(
      purchase(coupon.code, { occurredAt: '2099-01-01T00:00:00.000Z', subscriptionId: 'late' }),
      purchase(coupon.code, { occurredAt: '2098-01-01T00:00:00.000Z', subscriptionId: 'winner' }),
      purchase(coupon.code, { occurredAt: '2097-01-01T00:00:00.000Z', subscriptionId: 'loser' }),
      redemption(coupon.code, '2098-01-01T00:00:00.000Z', 'winner'),
      purchase('ABCD-EFGH-JKLM-NPQR'),
      purchase('no code at all'),
      purchase(undefined),
    );
    expect(await redeemedBy(ending)).toEqual([[coupon.id, 'winner']]);
    expect(await vouchers.group(ending.id)).toMatchObject({ redeemed: 1 });
    const byEvent = new Map(lines.map(({ eventId, line }) => [eventId, line['reason'] ?? line['msg']]));
    expect(ids.map((id) => byEvent.get(id))).toEqual([
      'expired',
      'coupon redeemed',
      'redeemed before',
      'repeated',
      'unknown',
      'unknown',
      undefined,
    ]);
    expect(JSON.stringify(lines)).not.toContain(coupon.code.replaceAll('-', ''));
  });

  it('logs the same outcomes as when each payment is a batch of its own', async () => {
    const outcomes: unknown[] = [];
    for (const together of [true, false]) {
      const [one, other] = (await create(groups[0] as TestGroup, 2)) as [Coupon, Coupon];
      const subscriptionId = uniqueId('sub');
      const payments = [
        purchase(one.code, { subscriptionId }),
        purchase(one.code, { subscriptionId }),
        purchase(other.code),
        purchase(one.code),
        purchase(other.code, { paymentStatus: 'pending' }),
      ];
      lines.splice(0);
      if (together) await vouchers.receiveBatch(...payments);
      else await vouchers.receive(...payments);
      outcomes.push(reasons().sort());
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
  });

  it('does not deadlock with a concurrent batch that has the same coupons in another order', async () => {
    const [first, second] = groups as [TestGroup, TestGroup];
    const coupons = [...(await create(first, 20)), ...(await create(second, 20))];
    const forward = coupons.map(({ code }) => purchase(code));
    await Promise.all([
      vouchers.receiveBatch(...forward),
      vouchers.receiveBatch(...[...coupons].reverse().map(({ code }) => purchase(code))),
      vouchers.receiveBatch(...forward),
    ]);
    expect(await vouchers.group(first.id)).toMatchObject({ redeemed: 20 });
    expect(await vouchers.group(second.id)).toMatchObject({ redeemed: 20 });
    expect(await redeemedBy(first)).toHaveLength(20);
  });

  it('is rejected as a whole if one redemption has no valid time', async () => {
    const [coupon] = (await create(groups[0] as TestGroup)) as [Coupon];
    // An ISO 8601 week date passes validation, but Date cannot parse it.
    const timeless = purchase(coupon.code, { occurredAt: '2026-W47-4' });
    await expect(vouchers.receiveBatch(timeless, purchase(coupon.code))).rejects.toThrow('has no valid time');
    expect(await redeemedBy(groups[0] as TestGroup)).toEqual([]);
  });

  it('runs no query when no payment has a coupon', async () => {
    const query = jest.fn();
    const redemptions = vouchers.running.nest.get(RedemptionService);
    const event = { id: 'e', topic: 't', key: 'k', data: purchase(undefined) };
    expect(await redemptions.recordPayments({ query } as never, [event])).toEqual([]);
    expect(query).not.toHaveBeenCalled();
  });
});
