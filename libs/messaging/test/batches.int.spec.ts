import { randomUUID } from 'node:crypto';
import { partitionOf } from '@tandem/event-bus';
import { describeOnEachBus, eventually } from '@tandem/testing';
import { type EventBatch, type ReceivedEvent } from '../src';
import { oneByOne, recordEffect } from './fixture/app';
import { BusTest, expectEachBookInOrder } from './fixture/bus';
import { asEvents, note, type NoteTaken } from './fixture/note';
import { forkConsumer } from './fixture/servers';

jest.setTimeout(120_000);

const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, handlerAttempts: 3 };
const recordAll = oneByOne(recordEffect);

/** Returns `count` notes of ten books in turn, numbered in order. */
const manyNotes = (count: number): NoteTaken[] =>
  Array.from({ length: count }, (_, index) => note(`book-${index % 10}`, index));

describeOnEachBus((bus) => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin(bus);
  });
  afterEach(() => test.end());

  const publish = async (notes: readonly NoteTaken[]): Promise<void> => {
    const writer = await test.writer();
    await writer.outbox.transaction((manager) => writer.outbox.addMany(manager, test.topic.event, asEvents(notes)));
    await eventually(async () => expect(await test.count('writer.outbox')).toBe(0));
  };
  const handled = (): Promise<number> => test.count('reader.effect');
  const letters = (): Promise<Record<string, unknown>[]> => test.database.query('SELECT * FROM reader.dead_letter');

  it('handles ready events in few transactions, in order per key', async () => {
    await publish(manyNotes(1_000));
    const sizes: number[] = [];
    await test.reader({
      handleBatch: async (notes, batch) => {
        sizes.push(notes.length);
        await recordAll(notes, batch);
      },
    });
    await eventually(async () => expect(await handled()).toBe(1_000), { timeoutMs: 30_000 });
    expectEachBookInOrder(await test.effects());
    expect(sizes.length).toBeLessThan(50);
  });

  it('handles 99 events of a batch of 100 once, and makes a dead letter of the event that always fails', async () => {
    await publish(manyNotes(100));
    await test.reader({
      tuning: QUICK,
      handle: async (one, context) => {
        await recordEffect(one, context);
        if (one.number === 50) throw new Error('poison');
      },
    });
    await eventually(async () => expect(await letters()).toMatchObject([{ reason: 'Error: poison', attempts: 3 }]));
    await eventually(async () => expect(await handled()).toBe(99));
    const effects = await test.effects();
    expect(new Set(effects.map(({ number }) => number)).size).toBe(99);
    expectEachBookInOrder(effects);
    expect(await test.count('reader.inbox')).toBe(99);
  });

  it('handles the other partitions while an event that always fails is retried', async () => {
    await publish(manyNotes(100));
    const poison = note('book-0', 50);
    const partition = partitionOf(poison.book, 6);
    const others = manyNotes(100).filter(({ book }) => partitionOf(book, 6) !== partition).length;
    await test.reader({
      tuning: { ...QUICK, handlerBackoffMs: 3_000, handlerBackoffMaxMs: 3_000 },
      handle: async (one, context) => {
        if (one.number === poison.number) throw new Error('poison');
        await recordEffect(one, context);
      },
    });
    await eventually(async () => expect(await handled()).toBeGreaterThanOrEqual(others));
    expect(await letters()).toEqual([]);
    await eventually(async () => expect(await letters()).toHaveLength(1), { timeoutMs: 30_000 });
    await eventually(async () => expect(await handled()).toBe(99));
  });

  it('handles an event once when a batch contains it twice', async () => {
    const writer = await test.writer();
    const id = randomUUID();
    const copies = [1, 2].map(() => ({ data: note('a', 1), id }));
    await writer.outbox.transaction((manager) => writer.outbox.addMany(manager, test.topic.event, copies));
    await writer.outbox.transaction((manager) =>
      writer.outbox.addMany(manager, test.topic.event, asEvents([note('a', 2)])),
    );
    await test.reader();
    await eventually(async () => expect(await handled()).toBe(2));
    expect((await test.effects()).map(({ number }) => number)).toEqual([1, 2]);
  });

  it('rolls back the whole batch when its process is killed, and another process handles the batch', async () => {
    await publish(manyNotes(60));
    const setup = {
      ...test.address,
      databaseUrl: test.database.urlFor('reader'),
      topic: test.topic.event.topic,
      group: test.group,
    };
    const victim = await forkConsumer({ ...setup, name: 'victim', delayMs: 200 });
    await eventually(() => expect(victim.handled.length).toBeGreaterThan(2));
    await victim.kill();
    expect(await handled()).toBe(0);
    await test.reader();
    await eventually(async () => expect(await handled()).toBe(60), { timeoutMs: 40_000 });
    expectEachBookInOrder(await test.effects());
  });

  it('handles at most 200 events in a transaction if `batchMax` is 100', async () => {
    const text = 'x'.repeat(100_000);
    await publish(Array.from({ length: 60 }, (_, number) => note('large', number, text)));
    await publish(manyNotes(1_200));
    const sizes: number[] = [];
    await test.reader({
      tuning: { batchMax: 100 },
      handleBatch: async (notes: readonly ReceivedEvent<NoteTaken>[], batch: EventBatch) => {
        sizes.push(notes.length);
        await recordAll(notes, batch);
      },
    });
    await eventually(async () => expect(await handled()).toBe(1_260), { timeoutMs: 40_000 });
    expectEachBookInOrder(await test.effects());
    // The events that one partition delivers together, up to 200, are not divided to meet the limit.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
  });
});
