import { describeOnEachBus, eventually } from '@tandem/testing';
import { currentTraceparent, runWithTrace } from '@tandem/tracing';
import { CONSUMER_SILENT_SECONDS } from '../src/metrics';
import { type NoteContext, recordEffect } from './fixture/app';
import { BusTest, take } from './fixture/bus';
import { note, type NoteTaken } from './fixture/note';

jest.setTimeout(60_000);

const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, handlerAttempts: 2 };
const TRACE = '0af7651916cd43dd8448eb211c80319c';

describeOnEachBus((bus) => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin(bus);
  });
  afterEach(() => test.end());

  const reasons = async (): Promise<unknown[]> =>
    (await test.database.query('SELECT reason FROM reader.dead_letter')).map(({ reason }) => reason);

  it('passes an event with its attributes to the handler', async () => {
    const writer = await test.writer();
    const seen: [NoteTaken, NoteContext][] = [];
    await test.reader({ handle: (one, context) => void seen.push([one, context]) });
    await writer.outbox.transaction((manager) =>
      writer.outbox.add(manager, test.topic.event, note('a', 1, 'grüße 🙂 \u0000'), { version: 7 }),
    );
    await eventually(() => expect(seen).toHaveLength(1));
    const [one, context] = seen[0] ?? [];
    expect(one).toEqual(note('a', 1, 'grüße 🙂 \u0000'));
    expect(context).toMatchObject({ topic: test.topic.event.topic, key: 'a', version: 7 });
    expect(context?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(Date.now() - Date.parse(context?.occurredAt ?? '')).toBeLessThan(60_000);
  });

  it('propagates the trace of a request through an event to the handler of the event', async () => {
    const writer = await test.writer();
    const inside: (string | undefined)[] = [];
    await test.reader({
      handle: async (one, context) => {
        inside.push(currentTraceparent());
        await recordEffect(one, context);
      },
    });
    await runWithTrace(`00-${TRACE}-b7ad6b7169203331-01`, () => take(writer, test.topic, [note('a', 1)]));
    await take(writer, test.topic, [note('a', 2)]);
    const [traced, untraced] = await eventually(async () => {
      const effects = await test.effects();
      expect(effects).toHaveLength(2);
      return effects;
    });
    // No spans are recorded here, so the caller's span is still the parent.
    expect(traced?.traceparent).toBe(`00-${TRACE}-b7ad6b7169203331-01`);
    expect(inside[0]).toBe(`00-${TRACE}-b7ad6b7169203331-01`);
    expect(untraced?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(untraced?.traceparent).not.toContain(TRACE);
  });

  it('runs afterCommit callbacks only after the commit, and ignores their failures', async () => {
    const writer = await test.writer();
    const committed: number[] = [];
    await test.reader({
      tuning: QUICK,
      handle: async (one, context) => {
        await recordEffect(one, context);
        context.afterCommit(async () => {
          committed.push((await test.effects()).length);
          throw new Error('a hint that failed');
        });
        if (one.number === 1) throw new Error('rolled back');
      },
    });
    await take(writer, test.topic, [note('a', 1), note('a', 2)]);
    await eventually(() => expect(committed).toEqual([1]));
    expect((await test.effects()).map(({ number }) => number)).toEqual([2]);
  });

  it('publishes the events that a handler adds, together with the handler’s effect', async () => {
    const writer = await test.writer();
    const reader = await test.reader({
      handle: async (one, context) => {
        await recordEffect(one, context);
        if (one.number < 3) await reader.outbox.add(context.manager, test.topic.event, note(one.book, one.number + 1));
      },
    });
    await take(writer, test.topic, [note('chain', 1)]);
    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([1, 2, 3]));
  });

  it('retries a handler without counting attempts while the database is down', async () => {
    const writer = await test.writer();
    let failures = 0;
    await test.reader({
      tuning: QUICK,
      handle: async (one, context) => {
        if (one.number === 1 && failures++ < 4) throw Object.assign(new Error('terminating'), { code: '57P01' });
        await recordEffect(one, context);
      },
    });
    await take(writer, test.topic, [note('a', 1), note('a', 2)]);
    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([1, 2]));
    expect(failures).toBe(5);
    expect(await reasons()).toEqual([]);
  });

  it('retries a handler without counting attempts while the server accepts only reads', async () => {
    const writer = await test.writer();
    let failures = 0;
    await test.reader({
      tuning: QUICK,
      handle: async (one, context) => {
        if (one.number === 1 && failures++ < 4) await context.manager.query('SET TRANSACTION READ ONLY');
        await recordEffect(one, context);
      },
    });
    await take(writer, test.topic, [note('a', 1), note('a', 2)]);
    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([1, 2]));
    expect(failures).toBe(5);
    expect(await reasons()).toEqual([]);
  });

  it('makes no dead letter of an event whose statement timed out a few times', async () => {
    const writer = await test.writer();
    let failures = 0;
    await test.reader({
      tuning: QUICK,
      handle: async (one, context) => {
        if (failures++ < 8) await context.manager.query(`SET LOCAL statement_timeout = 1; SELECT pg_sleep(1)`);
        await recordEffect(one, context);
      },
    });
    await take(writer, test.topic, [note('a', 1)]);
    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([1]), {
      timeoutMs: 30_000,
    });
    expect(failures).toBe(9);
    expect(await reasons()).toEqual([]);
  });

  it('makes a dead letter of an event whose handler cannot connect to a server other than the database', async () => {
    const writer = await test.writer();
    await test.reader({
      tuning: QUICK,
      handle: () => Promise.reject(Object.assign(new Error('the vendor is down'), { code: 'ECONNREFUSED' })),
    });
    await take(writer, test.topic, [note('a', 1)]);
    await eventually(async () => expect(await reasons()).toEqual(['Error: the vendor is down']));
  });

  it('retries a handler after a deadlock without counting attempts', async () => {
    const writer = await test.writer();
    let failures = 0;
    await test.reader({
      tuning: QUICK,
      handle: async (one, context) => {
        if (failures++ < 4)
          await context.manager.query(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40P01'; END $$`);
        await recordEffect(one, context);
      },
    });
    await take(writer, test.topic, [note('a', 1)]);
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    expect(await reasons()).toEqual([]);
  });

  it('describes a database error in a dead letter by its code, without values', async () => {
    const writer = await test.writer();
    await test.reader({
      tuning: QUICK,
      handle: async (_, context) => {
        await context.manager.query('SELECT $1::text::uuid', ['a secret']);
      },
    });
    await take(writer, test.topic, [note('a', 1)]);
    await eventually(async () => expect(await reasons()).toEqual(['database error 22P02']));
  });

  it('waits for the running handler when the app closes, and starts no other handler', async () => {
    const writer = await test.writer();
    const started: number[] = [];
    const reader = await test.reader({
      handle: async (one, context) => {
        started.push(one.number);
        await new Promise((resolve) => setTimeout(resolve, 300));
        await recordEffect(one, context);
      },
    });
    await take(writer, test.topic, [note('a', 1)]);
    await eventually(() => expect(started).toEqual([1]));
    await take(writer, test.topic, [note('a', 2), note('a', 3)]);
    await reader.close();
    expect((await test.effects()).map(({ number }) => number)).toEqual([1]);
    expect(started).toEqual([1]);
    await test.reader();
    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([1, 2, 3]));
  });

  it('exports the time since the consumer last heard from its bus, until the app has stopped', async () => {
    const silence = async (app: string): Promise<number | undefined> => {
      const { values } = await CONSUMER_SILENT_SECONDS.get();
      return values.find(({ labels }) => labels.app === app)?.value;
    };
    await test.writer();
    const reader = await test.reader();
    await eventually(async () => expect(await silence('reader')).toBeLessThan(60));
    expect(await silence('writer')).toBeUndefined();
    await reader.close();
    expect(await silence('reader')).toBeUndefined();
  });
});
