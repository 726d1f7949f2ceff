import { DeliveryLine } from './delivery-line';
import type { DueDelivery } from './dispatch.types';

const delivery = (id: string, attemptCount = 0): DueDelivery => ({
  id,
  attemptCount,
  attemptsBeforeReplay: 0,
  createdAt: 0,
  partnerId: 'p',
  environment: 'live',
  oid: id,
  body: '{}',
});

describe("an endpoint's line in memory", () => {
  it('gives deliveries in the order in which they came', () => {
    const line = new DeliveryLine();
    for (let index = 0; index < 500; index++) line.add(delivery(String(index)));
    const taken = Array.from({ length: 500 }, () => line.take()?.id);
    expect(taken).toEqual(Array.from({ length: 500 }, (_, index) => String(index)));
    expect(line.take()).toBeUndefined();
  });

  it('lets a delivery in once while it waits or is in flight', () => {
    const line = new DeliveryLine();
    expect(line.add(delivery('a'))).toBe(true);
    expect(line.add(delivery('a'))).toBe(false);
    line.take();
    expect(line.add(delivery('a'))).toBe(false);
    expect(line).toMatchObject({ length: 0, unfinished: 1 });
  });

  it('refuses what was read before its result was stored', () => {
    const line = new DeliveryLine();
    line.add(delivery('a'));
    line.take();
    line.left('a', 1);
    expect(line.add(delivery('a', 0))).toBe(false);
    expect(line.add(delivery('a', 1))).toBe(true);
  });

  it('forgets only what was not taken', () => {
    const line = new DeliveryLine();
    for (const id of ['a', 'b', 'c']) line.add(delivery(id));
    line.take();
    line.clear();
    expect(line).toMatchObject({ length: 0, unfinished: 1 });
    expect(line.add(delivery('b'))).toBe(true);
  });
});
