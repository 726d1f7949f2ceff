import { DeliveryQueue, QUEUE_MAX } from './delivery-queue';
import type { DueDelivery } from './dispatch.types';

const delivery = (id: string): DueDelivery => ({
  id,
  attemptCount: 0,
  attemptsBeforeReplay: 0,
  createdAt: 0,
  partnerId: 'p',
  environment: 'live',
  oid: id,
  body: '{}',
  eventId: 'e',
  traceparent: null,
});
const readOf = (...ids: string[]) => Promise.resolve({ deliveries: ids.map(delivery) });

describe("an endpoint's queue in memory", () => {
  it('gives deliveries in the order in which they came', () => {
    const queue = new DeliveryQueue();
    for (let index = 0; index < 300; index++) queue.add(delivery(String(index)));
    const taken = Array.from({ length: 300 }, () => queue.take()?.id);
    expect(taken).toEqual(Array.from({ length: 300 }, (_, index) => String(index)));
    expect(queue.take()).toBeUndefined();
  });

  it('has a delivery once while it waits or is in flight', () => {
    const queue = new DeliveryQueue();
    for (let times = 0; times < 2; times++) expect(queue.add(delivery('a'))).toBe(true);
    expect(queue).toMatchObject({ length: 1, unfinished: 0 });
    queue.take();
    queue.add(delivery('a'));
    expect(queue).toMatchObject({ length: 0, unfinished: 1 });
    expect(queue.unfinishedIds()).toEqual(['a']);
  });

  it('has no room for more than its bound, and takes more when some were taken', () => {
    const queue = new DeliveryQueue();
    for (let index = 0; index < QUEUE_MAX; index++) queue.add(delivery(String(index)));
    expect(queue.add(delivery('more'))).toBe(false);
    queue.take();
    expect(queue.add(delivery('more'))).toBe(true);
    expect(queue.length).toBe(QUEUE_MAX);
  });

  it('says when a read found more than it has room for', async () => {
    const queue = new DeliveryQueue();
    for (let index = 1; index < QUEUE_MAX; index++) queue.add(delivery(String(index)));
    expect(await queue.addFrom(readOf('1', 'last'))).toMatchObject({ fitted: true });
    expect(await queue.addFrom(readOf('one too many'))).toMatchObject({ fitted: false });
  });

  it('does not take from a read what left while the read was under way', async () => {
    const queue = new DeliveryQueue();
    queue.add(delivery('a'));
    queue.take();
    let answer = (): void => undefined;
    const reading = queue.addFrom(
      new Promise<{ deliveries: DueDelivery[] }>((resolve) => {
        answer = () => resolve({ deliveries: [delivery('a'), delivery('b')] });
      }),
    );
    queue.left('a');
    answer();
    await reading;
    expect(queue.take()?.id).toBe('b');
    expect(queue.length).toBe(0);
    await queue.addFrom(readOf('a'));
    expect(queue.take()?.id).toBe('a');
  });

  it('never has one again whose result cannot be stored', () => {
    const queue = new DeliveryQueue();
    queue.add(delivery('a'));
    queue.take();
    queue.refuse('a');
    queue.add(delivery('a'));
    expect(queue).toMatchObject({ length: 0, unfinished: 0, isEmpty: false });
  });

  it('forgets only what was not taken', () => {
    const queue = new DeliveryQueue();
    for (const id of ['a', 'b', 'c']) queue.add(delivery(id));
    queue.take();
    queue.clear();
    expect(queue).toMatchObject({ length: 0, unfinished: 1 });
    queue.add(delivery('b'));
    expect(queue.length).toBe(1);
  });

  it('takes a refused delivery again some minutes after the last refusal', () => {
    const queue = new DeliveryQueue();
    for (const [id, at] of [
      ['a', 0],
      ['b', 60_000],
    ] as const) {
      queue.add(delivery(id));
      queue.take();
      queue.refuse(id, at);
    }
    expect(queue.forgetRefused(359_999)).toBe(false);
    queue.add(delivery('a'));
    expect([queue.length, queue.isEmpty]).toEqual([0, false]);
    expect(queue.forgetRefused(360_000)).toBe(true);
    expect(queue.isEmpty).toBe(true);
    queue.add(delivery('a'));
    expect(queue.take()?.id).toBe('a');
  });
});
