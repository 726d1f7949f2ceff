import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { createKafkaBus, createPostgresBus } from '@tandem/event-bus';
import { describeOnEachBus, eventually } from '@tandem/testing';
import { register } from 'prom-client';
import { PermanentEventError } from '../src';
import { insertDeadLetter } from '../src/dead-letter/dead-letter.repository';
import { resolveOptions } from '../src/events-options';
import { recordEffect } from './fixture/app';
import { BusTest, publishRaw, rawNote, take } from './fixture/bus';
import { note, type NoteTaken } from './fixture/note';

jest.setTimeout(60_000);

const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, replayPollMs: 50 };

describeOnEachBus((bus) => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin(bus);
  });
  afterEach(() => test.end());

  const deadLetters = (): Promise<Record<string, unknown>[]> =>
    test.database.query('SELECT * FROM reader.dead_letter ORDER BY id');

  it('makes a dead letter of a message that is not a valid event, and handles the next message', async () => {
    const writer = await test.writer();
    const right = { book: 'raw', number: 1 };
    const poison: [reason: RegExp, message: ReturnType<typeof rawNote>][] = [
      [/not JSON/, rawNote(test.topic, Buffer.from('{"book":'))],
      [/must be a JSON object/, rawNote(test.topic, [right])],
      [/not UTF-8/, rawNote(test.topic, Buffer.from([0x7b, 0xff, 0x7d]))],
      [/ce_type is not/, rawNote(test.topic, right, { ce_type: 'another.event' })],
      [/ce_id must be a UUID/, rawNote(test.topic, right, { ce_id: '17' })],
      [/ce_id is missing/, rawNote(test.topic, right, { ce_id: '' })],
      [/number \(type\)/, rawNote(test.topic, { book: 'raw', number: 'seven' })],
    ];
    for (const [, message] of poison) await publishRaw(writer, message);
    await publishRaw(writer, rawNote(test.topic, { book: 'raw', number: 99 }));
    await test.reader({ tuning: QUICK });

    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([99]));
    const letters = await deadLetters();
    expect(letters.map(({ reason }) => reason)).toEqual(poison.map(([reason]) => expect.stringMatching(reason)));
    expect(letters.map(({ payload }) => payload)).toEqual(poison.map(([, { value }]) => value));
    expect(letters.map(({ attempts }) => attempts)).toEqual(poison.map(() => 1));
  });

  it('publishes a dead letter to the dead-letter topic with the reason', async () => {
    const writer = await test.writer();
    await test.reader({
      tuning: QUICK,
      handle: () => {
        throw new PermanentEventError('the book is burnt');
      },
    });
    const dlq = { ...test.topic.event, topic: `${test.topic.event.topic}.dlq` };
    const seen: Record<string, string>[] = [];
    const options = resolveOptions({ ...test.optionsOf('reader'), group: `${test.group}-dlq` });
    const listener = bus === 'kafka' ? createKafkaBus(options) : createPostgresBus(options);
    listener.consumer.start([dlq.topic], (messages) => {
      seen.push(...messages.map(({ headers }) => ({ ...headers })));
      return Promise.resolve();
    });

    await take(writer, test.topic, [note('a', 1)]);

    await eventually(() => expect(seen).toHaveLength(1));
    expect(seen[0]).toMatchObject({
      dlq_reason: 'PermanentEventError: the book is burnt',
      dlq_original_topic: test.topic.event.topic,
      dlq_consumer: test.group,
      dlq_attempts: '1',
      ce_type: test.topic.event.topic,
    });
    await listener.consumer.stop();
    await listener.consumer.close();
    await listener.publisher.close();
  });

  it('attempts an event alone five more times after it failed in a batch, and keeps no effect of the attempts', async () => {
    const writer = await test.writer();
    let attempts = 0;
    await test.reader({
      tuning: QUICK,
      handle: async (one, context) => {
        await recordEffect(one, context);
        if (one.number === 1) {
          attempts++;
          throw new TypeError('no ink'); // an error with this name would make kafkajs end its consumer permanently
        }
      },
    });
    await take(writer, test.topic, [note('a', 1)]);
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    await take(writer, test.topic, [note('a', 2)]);

    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([2]));
    expect(attempts).toBe(1 + 5); // the first attempt is in a batch
    expect(await register.metrics()).toContain(`events_handler_seconds_count{topic="${test.topic.event.topic}"} 7`);
    expect(await deadLetters()).toMatchObject([{ reason: 'TypeError: no ink', attempts: 5, key: 'a' }]);
  });

  it('handles an event once when its second attempt succeeds', async () => {
    const writer = await test.writer();
    let failed = false;
    await test.reader({
      tuning: QUICK,
      handle: async (one, context) => {
        await recordEffect(one, context);
        if (failed) return;
        failed = true;
        throw new Error('not yet');
      },
    });
    await take(writer, test.topic, [note('a', 1), note('a', 2)]);
    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([1, 2]));
    expect(await deadLetters()).toEqual([]);
  });

  it('writes one dead letter for an event that is on the bus twice', async () => {
    const writer = await test.writer();
    const message = rawNote(test.topic, { book: 'raw', number: 'seven' });
    await publishRaw(writer, message);
    await publishRaw(writer, message);
    await publishRaw(writer, rawNote(test.topic, { book: 'raw', number: 1 }));
    await test.reader({ tuning: QUICK });
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    expect(await deadLetters()).toHaveLength(1);
  });

  it('ignores a second copy of an event that has become a dead letter', async () => {
    const writer = await test.writer();
    let calls = 0;
    await test.reader({
      tuning: QUICK,
      handle: async (one, context) => {
        if (one.number === 1 && calls++ < 2) throw new PermanentEventError('the first copy only');
        await recordEffect(one, context);
      },
    });
    const id = randomUUID();
    for (let copy = 0; copy < 2; copy++) {
      await writer.outbox.transaction((manager) => writer.outbox.add(manager, test.topic.event, note('a', 1), { id }));
      await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    }
    await take(writer, test.topic, [note('a', 2)]);
    await eventually(async () => expect((await test.effects()).map(({ number }) => number)).toEqual([2]));
    expect(calls).toBe(2);
  });

  it('counts a failed event as a duplicate if it was handled meanwhile, and logs no error for it', async () => {
    const lines = { error: [] as unknown[], info: [] as unknown[] };
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation((line) => void lines.error.push(line));
    const info = jest.spyOn(Logger.prototype, 'log').mockImplementation((line) => void lines.info.push(line));
    const id = randomUUID();
    const writer = await test.writer();
    await test.reader({ tuning: QUICK });
    await test.database.query(`INSERT INTO reader.inbox (consumer, event_id) VALUES ($1, $2)`, [test.group, id]);
    await publishRaw(writer, rawNote(test.topic, { book: 'raw', number: 'seven' }, { ce_id: id }));
    await publishRaw(writer, rawNote(test.topic, { book: 'raw', number: 'eight' }));
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    await eventually(async () =>
      expect(await register.metrics()).toContain(
        `events_consumed_total{topic="${test.topic.event.topic}",outcome="dead_lettered"} 1`,
      ),
    );
    error.mockRestore();
    info.mockRestore();
    expect(await register.metrics()).toContain(
      `events_consumed_total{topic="${test.topic.event.topic}",outcome="duplicate"} 1`,
    );
    const stored = lines.error.filter((line) => (line as { msg?: string }).msg === 'dead letter stored');
    expect(stored).toHaveLength(1);
    expect(lines.info).toContainEqual(
      expect.objectContaining({ msg: 'dead letter not needed', eventId: id, topic: test.topic.event.topic }),
    );
  });

  it('makes no dead letter of an event if another process has handled the event after its attempts failed here', async () => {
    const id = randomUUID();
    const { outbox } = await test.reader({ tuning: QUICK });
    await test.database.query(`INSERT INTO reader.inbox (consumer, event_id) VALUES ($1, $2)`, [test.group, id]);
    const message = { ...rawNote(test.topic, { book: 'raw', number: 1 }), partition: 0, offset: '0' };
    const failure = { consumer: test.group, eventId: id, reason: 'not handled here', attempts: 5 };
    // Meanwhile, a process that has taken over the partition has handled the event.
    await outbox.transaction(async (manager) => {
      expect(await insertDeadLetter(manager, message, failure)).toBe(false);
      expect(await manager.query('SELECT topic FROM outbox')).toEqual([]);
    });
    expect(await deadLetters()).toEqual([]);
  });

  it('handles an event with unknown fields and with a __proto__ key, which has no effect', async () => {
    const writer = await test.writer();
    const seen: NoteTaken[] = [];
    await test.reader({ tuning: QUICK, handle: (one) => void seen.push(one) });
    const text = '{"book":"raw","number":1,"colour":"red","__proto__":{"number":2,"admin":true}}';
    await publishRaw(writer, rawNote(test.topic, Buffer.from(text)));
    await eventually(() => expect(seen).toHaveLength(1));
    expect(Object.getPrototypeOf(seen[0])).toBe(Object.prototype);
    expect(seen[0]).toMatchObject({ number: 1, colour: 'red' });
    expect((seen[0] as unknown as { admin?: boolean }).admin).toBeUndefined();
  });
});
