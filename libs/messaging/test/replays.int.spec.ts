import { randomUUID } from 'node:crypto';
import { describeOnEachBus, eventually } from '@tandem/testing';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { listDeadLetters, PermanentEventError, requestReplay } from '../src';
import { type BatchHandler, type NoteHandler, oneByOne, recordEffect } from './fixture/app';
import { BusTest, rawNote, take } from './fixture/bus';
import { note, type NoteTaken } from './fixture/note';

jest.setTimeout(60_000);

const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, replayPollMs: 50 };

const recordAll = oneByOne(recordEffect);

/** Returns a handler that refuses the selected notes, and records the effect of the others. */
const recordUnless =
  (isRefused: (one: NoteTaken) => boolean): NoteHandler =>
  async (one, context) => {
    if (isRefused(one)) throw new PermanentEventError('the shelf is full');
    await recordEffect(one, context);
  };

describeOnEachBus((bus) => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin(bus);
  });
  afterEach(() => test.end());

  it('replays the dead letters that a request selects by id or by topic', async () => {
    const writer = await test.writer();
    let broken = true;
    const reader = await test.reader({
      tuning: QUICK,
      handle: recordUnless(() => broken),
    });
    await take(writer, test.topic, [note('a', 1), note('b', 2)]);
    await eventually(async () => expect((await reader.deadLetters.list()).items).toHaveLength(2));
    broken = false;

    const [letter] = (await reader.deadLetters.list({ topic: test.topic.event.topic })).items.filter(
      ({ key }) => key === 'a',
    );
    expect(await reader.deadLetters.requestReplay({ ids: [letter?.id ?? ''] })).toBe(1);

    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([1]));
    await eventually(async () => expect((await reader.deadLetters.list()).items).toHaveLength(1));
    expect(await reader.deadLetters.requestReplay({ topic: test.topic.event.topic })).toBe(1);
    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([1, 2]));
    expect((await reader.deadLetters.list({ replayed: true })).items).toHaveLength(2);
  });

  it('keeps a dead letter whose replay fails, and does not replay it again without another request', async () => {
    const writer = await test.writer();
    let calls = 0;
    const reader = await test.reader({
      tuning: QUICK,
      handle: () => {
        calls++;
        throw new PermanentEventError(`call ${calls}`);
      },
    });
    await take(writer, test.topic, [note('a', 1)]);
    await eventually(async () => expect((await reader.deadLetters.list()).items).toHaveLength(1));
    await reader.deadLetters.requestReplay({ topic: test.topic.event.topic });
    await eventually(async () =>
      expect((await reader.deadLetters.list()).items).toMatchObject([
        { reason: 'PermanentEventError: call 3', replayRequestedAt: null, replayedAt: null, attempts: 2 },
      ]),
    );
    expect(calls).toBe(3);
  });

  it('stores a replayed dead letter again, as the newest, when a copy of its event fails and the inbox no longer has the event', async () => {
    const writer = await test.writer();
    let broken = true;
    const reader = await test.reader({
      tuning: QUICK,
      handle: recordUnless(() => broken),
    });
    const id = randomUUID();
    const publish = () =>
      writer.outbox.transaction((manager) => writer.outbox.add(manager, test.topic.event, note('a', 1), { id }));
    await publish();
    await eventually(async () => expect((await reader.deadLetters.list()).items).toHaveLength(1));
    broken = false;
    await reader.deadLetters.requestReplay({ topic: test.topic.event.topic });
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    await eventually(async () => expect((await reader.deadLetters.list()).items).toEqual([]));
    broken = true;
    // Makes the app handle the next copy of the event again.
    await test.database.query('DELETE FROM reader.inbox');
    await take(writer, test.topic, [note('b', 2)]);
    await eventually(async () => expect((await reader.deadLetters.list()).items).toHaveLength(1));
    await publish();
    await eventually(async () =>
      expect((await reader.deadLetters.list()).items).toMatchObject([
        { key: 'a', replayedAt: null, attempts: 1 },
        { key: 'b' },
      ]),
    );
  });

  it('keeps a dead letter when its replay is requested but the app no longer has a handler of its topic', async () => {
    const writer = await test.writer();
    const before = await test.reader({
      tuning: QUICK,
      handle: recordUnless(() => true),
    });
    await take(writer, test.topic, [note('a', 1)]);
    await eventually(async () => expect((await before.deadLetters.list()).items).toHaveLength(1));
    await before.close();
    const after = await test.reader({ tuning: QUICK, handle: undefined });
    await after.deadLetters.requestReplay({ topic: test.topic.event.topic });
    await eventually(async () =>
      expect((await after.deadLetters.list()).items).toMatchObject([
        { reason: expect.stringContaining('has no handler of'), replayRequestedAt: null, replayedAt: null },
      ]),
    );
    expect(await test.count('reader.inbox')).toBe(0);
  });

  it('marks a dead letter as replayed without handling its event, when the event was handled in the meantime', async () => {
    const writer = await test.writer();
    const reader = await test.reader({ tuning: QUICK });
    const id = randomUUID();
    await writer.outbox.transaction((manager) => writer.outbox.add(manager, test.topic.event, note('a', 1), { id }));
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    const { value, headers, topic } = rawNote(test.topic, note('raw', 1), { ce_id: id });
    await test.database.query(
      `INSERT INTO reader.dead_letter (consumer, event_id, topic, "partition", "offset", key, headers, payload, reason, attempts)
       VALUES ($1, $2, $3, 0, 0, 'raw', $4, $5, 'a race of two consumers', 5)`,
      [test.group, id, topic, JSON.stringify(headers), value],
    );
    await reader.deadLetters.requestReplay({ topic });
    await eventually(async () => expect((await reader.deadLetters.list()).items).toEqual([]));
    expect(await test.effects()).toHaveLength(1);
  });

  it('lists dead letters page by page, and requests replays, on a plain pg connection', async () => {
    const writer = await test.writer();
    const reader = await test.reader({
      tuning: { ...QUICK, replayPollMs: 60_000 },
      handle: recordUnless(() => true),
    });
    await take(writer, test.topic, [note('a', 1), note('a', 2), note('a', 3)]);
    await eventually(async () => expect((await reader.deadLetters.list()).items).toHaveLength(3));
    const client = new Client({ connectionString: test.database.urlFor('reader') });
    await client.connect();
    try {
      const page = await listDeadLetters(client, { limit: 2 });
      expect(page.items).toHaveLength(2);
      const rest = await listDeadLetters(client, { limit: 2, cursor: page.nextCursor ?? '' });
      expect(rest).toMatchObject({ items: [{ key: 'a', consumer: test.group }], nextCursor: null });
      expect(await requestReplay(client, { topic: 'another.topic' })).toBe(0);
      expect(await requestReplay(client, { ids: [page.items[0]?.id ?? ''] })).toBe(1);
      expect((await listDeadLetters(client)).items[0]?.replayRequestedAt).toBeInstanceOf(Date);
    } finally {
      await client.end();
    }
  });

  it('replays many dead letters in few transactions on two replicas, and each dead letter only once', async () => {
    const writer = await test.writer();
    let broken = true;
    const sizes: number[] = [];
    const handleBatch: BatchHandler = async (notes, batch) => {
      if (broken) throw new PermanentEventError('the shelf is full');
      sizes.push(notes.length);
      await recordAll(notes, batch);
    };
    const first = await test.reader({ tuning: QUICK, handleBatch });
    await test.reader({ tuning: QUICK, handleBatch });
    const notes = Array.from({ length: 1_000 }, (_, index) => ({ data: note(`book-${index % 10}`, index) }));
    await writer.outbox.transaction((manager) => writer.outbox.addMany(manager, test.topic.event, notes));
    const requestable = async (): Promise<number> =>
      (await test.database.query('SELECT 1 FROM reader.dead_letter WHERE replayed_at IS NULL')).length;
    await eventually(async () => expect(await requestable()).toBe(1_000), { timeoutMs: 60_000 });
    broken = false;
    await first.deadLetters.requestReplay({ topic: test.topic.event.topic });
    await eventually(async () => expect(await test.count('reader.effect')).toBe(1_000), { timeoutMs: 30_000 });
    expect(new Set((await test.effects()).map(({ event_id }) => event_id)).size).toBe(1_000);
    expect(sizes.length).toBeLessThan(40);
    expect(await requestable()).toBe(0);
    // Each dead letter is stored in its own transaction, so 1,000 dead letters take long on a machine with busy cores.
  }, 120_000);

  it('replays the other dead letters of a transaction when one dead letter fails again', async () => {
    const writer = await test.writer();
    let broken = true;
    const reader = await test.reader({
      tuning: QUICK,
      handle: recordUnless(({ number }) => broken || number === 7),
    });
    await take(
      writer,
      test.topic,
      Array.from({ length: 20 }, (_, index) => note('book', index)),
    );
    await eventually(async () => expect((await reader.deadLetters.list()).items).toHaveLength(20), {
      timeoutMs: 30_000,
    });
    broken = false;
    await reader.deadLetters.requestReplay({ topic: test.topic.event.topic });
    await eventually(async () => expect(await test.count('reader.effect')).toBe(19), { timeoutMs: 30_000 });
    await eventually(async () =>
      expect((await reader.deadLetters.list()).items).toMatchObject([{ replayRequestedAt: null, attempts: 2 }]),
    );
  });

  it('logs a dead letter with its ids, its stack, and the names of table and column, but no value', async () => {
    const lines: unknown[] = [];
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => void lines.push(line));
    const writer = await test.writer();
    await test.reader({
      tuning: { ...QUICK, handlerAttempts: 1 },
      handle: async (_, context) => {
        await context.manager.query(`INSERT INTO effect (event_id, book) VALUES (NULL, 'a private value')`);
      },
    });
    await take(writer, test.topic, [note('shelf', 1)]);
    await eventually(() =>
      expect(lines).toContainEqual({
        msg: 'dead letter stored',
        eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        eventKey: 'shelf',
        topic: test.topic.event.topic,
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        reason: expect.stringContaining('database error 23502'),
        stack: expect.stringMatching(/^\s+at /),
        sqlState: '23502',
        table: 'effect',
        column: 'event_id',
      }),
    );
    error.mockRestore();
    expect(JSON.stringify(lines)).not.toContain('private');
  });
});
