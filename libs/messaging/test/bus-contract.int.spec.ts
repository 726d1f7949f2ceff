import { randomUUID } from 'node:crypto';
import { describeOnEachBus, eventually, keepLocks } from '@tandem/testing';
import type { DataSource } from 'typeorm';
import { DataSource as DataSourceToken } from 'typeorm';
import { recordEffect } from './fixture/app';
import { BusTest, expectEachBookInOrder, take } from './fixture/bus';
import { asEvents, type NoteTaken, note } from './fixture/note';

jest.setTimeout(180_000);

const books = (count: number): string[] => Array.from({ length: count }, (_, index) => `book-${index}`);

/** Returns `perBook` notes of each book, interleaved. */
const mixedNotes = (bookCount: number, perBook: number): NoteTaken[] =>
  Array.from({ length: perBook }, (_, number) => books(bookCount).map((book) => note(book, number))).flat();

describeOnEachBus((bus) => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin(bus);
  });
  afterEach(() => test.end());

  it('handles the events of each key in order while three consumers share the partitions', async () => {
    const handlers = ['one', 'two', 'three'];
    for (const name of handlers)
      await test.reader({
        handle: async (one, context) => {
          await recordEffect(one, context, name);
          await new Promise((resolve) => setTimeout(resolve, 2));
        },
      });
    const writer = await test.writer();
    const notes = mixedNotes(30, 20);
    // Waits until every consumer has partitions, because the test is about sharing the partitions.
    let number = 1_000;
    await eventually(
      async () => {
        await take(
          writer,
          test.topic,
          books(30).map((book) => note(`warm-${book}`, number++)),
        );
        const seen = new Set((await test.effects()).map(({ handled_by }) => handled_by));
        expect([...seen].sort()).toEqual([...handlers].sort());
      },
      { timeoutMs: 20_000, everyMs: 200 },
    );
    await writer.outbox.transaction((manager) => writer.outbox.addMany(manager, test.topic.event, asEvents(notes)));

    const effects = await eventually(
      async () => {
        const all = (await test.effects()).filter(({ book }) => !book.startsWith('warm'));
        expect(all).toHaveLength(notes.length);
        return all;
      },
      { timeoutMs: 30_000 },
    );
    expectEachBookInOrder(effects);
    expect(new Set(effects.map(({ handled_by }) => handled_by)).size).toBe(3);
  });

  it('handles an event only once when it is on the bus twice', async () => {
    const writer = await test.writer();
    await test.reader();
    const id = randomUUID();
    for (let copy = 0; copy < 2; copy++)
      await writer.outbox.transaction((manager) => writer.outbox.add(manager, test.topic.event, note('a', 1), { id }));
    await take(writer, test.topic, [note('a', 2)]);

    await eventually(async () => expect((await test.effects()).at(-1)?.number).toBe(2));
    expect((await test.effects()).map(({ number }) => number)).toEqual([1, 2]);
  });

  it('publishes a row that commits after rows with higher ids', async () => {
    const writer = await test.writer();
    await test.reader();
    const late = writer.nest.get<DataSource>(DataSourceToken).createQueryRunner();
    await late.startTransaction();
    await keepLocks(late);
    await writer.outbox.add(late.manager, test.topic.event, note('late', 1));
    await take(writer, test.topic, [note('early', 2), note('early', 3)]);
    await eventually(async () => expect(await test.effects()).toHaveLength(2));

    await late.commitTransaction();
    await late.release();
    writer.outbox.wake();

    await eventually(async () => expect(await test.effects()).toHaveLength(3));
    expect((await test.effects()).map(({ number }) => number)).toEqual([2, 3, 1]);
  });

  it('reassigns the partitions when a consumer joins and when a consumer leaves', async () => {
    const writer = await test.writer();
    const stay = (name: string) => ({
      handle: (one: NoteTaken, context: Parameters<typeof recordEffect>[1]) => recordEffect(one, context, name),
    });
    const first = await test.reader(stay('first'));
    await take(writer, test.topic, mixedNotes(12, 1));
    await eventually(async () => expect(await test.effects()).toHaveLength(12));
    await test.reader(stay('second'));
    let round = 1;
    const publishRound = (): Promise<void> =>
      take(
        writer,
        test.topic,
        books(12).map((book) => note(book, round++)),
      );
    await eventually(
      async () => {
        await publishRound();
        expect((await test.effects()).map(({ handled_by }) => handled_by)).toContain('second');
      },
      { timeoutMs: 20_000, everyMs: 200 },
    );
    await first.close();
    await publishRound();
    const total = 12 + (round - 1);

    const effects = await eventually(
      async () => {
        const all = await test.effects();
        expect(all).toHaveLength(total);
        return all;
      },
      { timeoutMs: 20_000 },
    );
    expectEachBookInOrder(effects);
    expect(new Set(effects.slice(-12).map(({ handled_by }) => handled_by))).toEqual(new Set(['second']));
  });

  it('delivers every event from the beginning to a new group', async () => {
    const writer = await test.writer();
    const notes = mixedNotes(4, 5);
    await take(writer, test.topic, notes);
    await eventually(async () => expect(await test.count('writer.outbox')).toBe(0));

    await test.reader();

    const effects = await eventually(async () => {
      const all = await test.effects();
      expect(all).toHaveLength(notes.length);
      return all;
    });
    expectEachBookInOrder(effects);
  });

  it('handles each of 10,000 events exactly once while two consumers share the partitions', async () => {
    const writer = await test.writer();
    await test.reader();
    await test.reader();
    for (let batch = 0; batch < 20; batch++) {
      await writer.outbox.transaction(async (manager) => {
        const notes = Array.from({ length: 500 }, (_, index) =>
          note(`book-${index % 100}`, batch * 5 + Math.floor(index / 100)),
        );
        await writer.outbox.addMany(manager, test.topic.event, asEvents(notes));
      });
    }

    await eventually(async () => expect(await test.count('reader.effect')).toBeGreaterThanOrEqual(10_000), {
      timeoutMs: 150_000,
      everyMs: 100,
    });
    const effects = await test.effects();
    expect(effects).toHaveLength(10_000);
    expect(new Set(effects.map(({ event_id }) => event_id)).size).toBe(10_000);
    expectEachBookInOrder(effects);
    expect(await test.count('writer.outbox')).toBe(0);
    expect(await test.count('reader.dead_letter')).toBe(0);
  });
});
