import { DeliveryQueue, QUEUE_MAX } from './delivery-queue';
import type { DueDelivery } from './dispatch-types';
import { MemoryBudget } from './memory-budget';

const delivery = (id: string): DueDelivery => ({
  id,
  attemptCount: 0,
  attemptsBeforeReplay: 0,
  createdAt: 0,
  partnerId: 'p',
  environment: 'live',
  kind: 'sale',
  oid: id,
  body: '{}',
  eventId: 'e',
  traceparent: null,
});
describe("an endpoint's queue in memory", () => {
  let memory: MemoryBudget;
  let queue: DeliveryQueue;
  beforeEach(() => {
    memory = new MemoryBudget(10_000_000);
    queue = new DeliveryQueue(memory);
  });
  const addRead = (...ids: string[]): boolean => {
    queue.beginRead();
    return queue.endRead(ids.map(delivery));
  };

  it('returns deliveries in the order of arrival', () => {
    for (let index = 0; index < 300; index++) queue.handOver(delivery(String(index)));
    const taken = Array.from({ length: 300 }, () => queue.take()?.id);
    expect(taken).toEqual(Array.from({ length: 300 }, (_, index) => String(index)));
    expect(queue.take()).toBeUndefined();
  });

  it('contains a delivery only once while it is queued or in flight', () => {
    for (let times = 0; times < 2; times++) expect(queue.handOver(delivery('a'))).toBe(true);
    expect(queue).toMatchObject({ length: 1, unfinished: 0 });
    queue.take();
    queue.handOver(delivery('a'));
    expect(queue).toMatchObject({ length: 0, unfinished: 1 });
    expect(queue.unfinishedIds()).toEqual(['a']);
  });

  it('refuses deliveries above its maximum until some have been taken', () => {
    for (let index = 0; index < QUEUE_MAX; index++) queue.handOver(delivery(String(index)));
    expect(queue.handOver(delivery('more'))).toBe(false);
    queue.take();
    expect(queue.handOver(delivery('more'))).toBe(true);
    expect(queue.length).toBe(QUEUE_MAX);
  });

  it('refuses hand-overs while the process’s memory budget is used up, and accepts them after a result is stored', () => {
    memory = new MemoryBudget(10_000);
    const [queue, other] = [new DeliveryQueue(memory), new DeliveryQueue(memory)];
    other.beginRead();
    other.endRead(Array.from({ length: 9 }, (_, index) => delivery(String(index))));
    expect(queue.handOver(delivery('a'))).toBe(false);
    other.take();
    expect(queue.handOver(delivery('a'))).toBe(false);
    other.left('0');
    expect(queue.handOver(delivery('a'))).toBe(true);
  });

  it('keeps memory free for reads, and for an idle endpoint’s first delivery, when slow endpoints have many deliveries', () => {
    memory = new MemoryBudget(100_000);
    const slow = Array.from({ length: 10 }, () => new DeliveryQueue(memory));
    for (const [index, queue] of slow.entries())
      for (let count = 0; queue.handOver(delivery(`${index}-${count}`));) count++;
    expect(memory.leftForReads).toBeGreaterThan(0);
    const healthy = new DeliveryQueue(memory);
    expect(healthy.handOver(delivery('first'))).toBe(true);
    expect(healthy.handOver(delivery('second'))).toBe(false);
  });

  it('reports when it has no room for some of the deliveries that a read found', () => {
    for (let index = 1; index < QUEUE_MAX; index++) queue.handOver(delivery(String(index)));
    expect(addRead('1', 'last')).toBe(true);
    expect(addRead('one too many')).toBe(false);
  });

  it('does not add a delivery that a read found if the delivery has left the queue during the read', () => {
    queue.handOver(delivery('a'));
    queue.take();
    queue.beginRead();
    queue.left('a');
    expect(queue.endRead([delivery('a'), delivery('b')])).toBe(true);
    expect(queue.take()?.id).toBe('b');
    expect(queue.length).toBe(0);
    addRead('a');
    expect(queue.take()?.id).toBe('a');
  });

  it('ignores the result of a read during which it was cleared', () => {
    queue.beginRead();
    queue.clear();
    expect(queue.endRead([delivery('a')])).toBe(false);
    expect(queue.length).toBe(0);
  });

  it('does not accept a delivery again right after its result was rejected', () => {
    queue.handOver(delivery('a'));
    queue.take();
    queue.refuse('a');
    queue.handOver(delivery('a'));
    expect(queue).toMatchObject({ length: 0, unfinished: 0, isEmpty: false });
  });

  it('keeps the deliveries in flight when it is cleared', () => {
    for (const id of ['a', 'b', 'c']) queue.handOver(delivery(id));
    queue.take();
    queue.clear();
    expect(queue).toMatchObject({ length: 0, unfinished: 1 });
    queue.handOver(delivery('b'));
    expect(queue.length).toBe(1);
  });

  it('releases the memory of every delivery that leaves the queue', () => {
    const room = memory.leftForReads;
    for (const id of ['sent', 'refused', 'removed', 'cleared']) queue.handOver(delivery(id));
    for (let times = 0; times < 2; times++) queue.take();
    queue.left('sent');
    queue.refuse('refused');
    queue.remove('removed');
    queue.clear();
    expect([memory.leftForReads, memory.holders]).toEqual([room, 0]);
  });

  it('accepts deliveries with a rejected result again 5 minutes after the last rejection', () => {
    for (const [id, at] of [
      ['a', 0],
      ['b', 60_000],
    ] as const) {
      queue.handOver(delivery(id));
      queue.take();
      queue.refuse(id, at);
    }
    expect(queue.forgetRefused(359_999)).toBe(false);
    queue.handOver(delivery('a'));
    expect([queue.length, queue.isEmpty]).toEqual([0, false]);
    expect(queue.forgetRefused(360_000)).toBe(true);
    expect(queue.isEmpty).toBe(true);
    queue.handOver(delivery('a'));
    expect(queue.take()?.id).toBe('a');
  });
});
