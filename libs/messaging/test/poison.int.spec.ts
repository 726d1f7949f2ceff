import { createKafkaBus, type IncomingMessage } from '@tandem/event-bus';
import { describeKafka, describeOnEachBus, eventually } from '@tandem/testing';
import { Kafka, type Message } from 'kafkajs';
import type { BusKind } from '../src';
import { resolveOptions } from '../src/events-options';
import { PARTITION_STOPS } from '../src/metrics';
import { findReplayRequests } from '../src/dead-letter/dead-letter.repository';
import { DataSource } from 'typeorm';
import { BusTest, publishRaw, rawNote, take } from './fixture/bus';
import { note } from './fixture/note';

jest.setTimeout(60_000);

const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, handlerAttempts: 2, replayPollMs: 60_000 };
const NO_UTF8 = Buffer.from([0x61, 0xff, 0xfe]);

let test: BusTest;
afterEach(() => test.end());

const begin = async (bus: BusKind): Promise<void> => {
  test = await BusTest.begin(bus);
};
const deadLetters = (): Promise<Record<string, unknown>[]> =>
  test.database.query('SELECT * FROM reader.dead_letter ORDER BY id');

describeOnEachBus((bus) => {
  beforeEach(() => begin(bus));

  it('makes a dead letter of an event whose handler throws an error with control characters and U+0000 in its message', async () => {
    const writer = await test.writer();
    await test.reader({
      tuning: QUICK,
      handle: (one) => {
        throw new Error(`no ink for ${one.text}\u0007`);
      },
    });
    await take(writer, test.topic, [note('a', 1, 'x\u0000y')]);
    await eventually(async () => expect(await deadLetters()).toMatchObject([{ reason: 'Error: no ink for x y ' }]));
  });

  it('stores a reason even if it is cut in the middle of a character of two code units', async () => {
    const writer = await test.writer();
    await test.reader({
      tuning: QUICK,
      handle: () => {
        throw new Error('🙂'.repeat(500));
      },
    });
    await take(writer, test.topic, [note('a', 1)]);
    await eventually(async () => expect(await deadLetters()).toHaveLength(1));
    expect(await deadLetters()).toMatchObject([{ key: 'a', reason: expect.stringMatching(/^Error: 🙂{200}/u) }]);
  });

  it('makes a dead letter of a message with U+0000 in a header, and handles the next message', async () => {
    const writer = await test.writer();
    await publishRaw(writer, rawNote(test.topic, 'nothing', { 'x-origin': 'a\u0000b' }));
    await publishRaw(writer, rawNote(test.topic, note('raw', 2)));
    await test.reader({ tuning: QUICK });
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    expect(await deadLetters()).toMatchObject([{ headers: { 'x-origin': 'a\u0000b' } }]);
  });

  it('stores key and headers in base64 if the database rejects them as text, and handles the next message', async () => {
    await test.database.query('ALTER TABLE reader.dead_letter ADD CONSTRAINT no_keys CHECK (key IS NULL)');
    const writer = await test.writer();
    const poison = rawNote(test.topic, 'nothing', { 'x-origin': 'grüße' });
    await publishRaw(writer, poison);
    await publishRaw(writer, rawNote(test.topic, note('raw', 2)));
    const reader = await test.reader({ tuning: QUICK });
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    expect(await deadLetters()).toMatchObject([
      {
        reason: expect.stringMatching(/^stored in base64 alone, because of database error 23514 .*no_keys/),
        key: null,
      },
    ]);

    await reader.deadLetters.requestReplay({ topic: test.topic.event.topic });
    const [request] = await findReplayRequests(reader.nest.get(DataSource).manager, test.group, { rows: 1, bytes: 1 });
    expect(request?.message).toMatchObject({ key: poison.key, headers: poison.headers, value: poison.value });
    expect(request?.message.raw).toBeUndefined();
  });

  it('counts the stops of a partition while the database rejects its dead letters, and continues afterwards', async () => {
    await test.database.query('ALTER TABLE reader.dead_letter ADD CONSTRAINT none CHECK (false)');
    const writer = await test.writer();
    await publishRaw(writer, rawNote(test.topic, 'nothing'));
    await publishRaw(writer, rawNote(test.topic, note('raw', 2)));
    await test.reader({ tuning: QUICK });
    const { topic } = test.topic.event;
    const stops = async (): Promise<number> =>
      (await PARTITION_STOPS.get()).values.find(({ labels }) => labels.topic === topic)?.value ?? 0;
    await eventually(async () => expect(await stops()).toBeGreaterThan(1));
    expect(await test.effects()).toEqual([]);
    await test.database.query('ALTER TABLE reader.dead_letter DROP CONSTRAINT none');
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    expect(await deadLetters()).toHaveLength(1);
  });
});

describeKafka('an app on the kafka bus', () => {
  beforeEach(() => begin('kafka'));

  /** Publishes messages as any client of Kafka can, without the outbox. */
  const publish = async (...messages: Message[]): Promise<void> => {
    const producer = new Kafka({ brokers: test.address.kafkaBrokers, logLevel: 0 }).producer();
    await producer.connect();
    await producer.send({ topic: test.topic.event.topic, messages: messages.map((one) => ({ partition: 0, ...one })) });
    await producer.disconnect();
  };
  /** Waits until the dead-letter topic has `count` messages, and returns them. */
  const onDeadLetterTopic = async (count: number): Promise<IncomingMessage[]> => {
    const seen: IncomingMessage[] = [];
    const bus = createKafkaBus(resolveOptions({ app: 'reader', ...test.address, group: `${test.group}-dlq` }));
    bus.consumer.start([`${test.topic.event.topic}.dlq`], (messages) => {
      seen.push(...messages);
      return Promise.resolve();
    });
    await eventually(() => expect(seen).toHaveLength(count), { timeoutMs: 20_000 });
    await bus.consumer.stop();
    await bus.consumer.close();
    return seen;
  };

  it.each<[what: string, message: Omit<Message, 'value'>]>([
    ['a key with U+0000', { key: 'a\u0000b' }],
    ['a key that is not UTF-8', { key: NO_UTF8 }],
    ['a header that is not UTF-8', { key: 'a', headers: { 'x-origin': NO_UTF8 } }],
    ['a repeated header', { key: 'a', headers: { 'x-origin': ['1', NO_UTF8] } }],
    ['a header named like an inherited property', { key: 'a', headers: { constructor: NO_UTF8 } }],
  ])('stores a message with %s unchanged as a dead letter, and handles the next message', async (_, message) => {
    const { headers, value } = rawNote(test.topic, note('raw', 2));
    await publish({ ...message, value: Buffer.from('nothing') }, { key: 'raw', headers, value });
    const fatal: Error[] = [];
    const reader = await test.reader({ tuning: QUICK, onFatal: (error) => fatal.push(error) });

    await eventually(async () => expect(await test.effects()).toHaveLength(1), { timeoutMs: 20_000 });
    const [letter] = await deadLetters();
    expect(letter).toMatchObject({
      payload: Buffer.from('nothing'),
      reason: expect.stringContaining('ce_specversion'),
    });
    const keyBytes = Buffer.from(message.key ?? '');
    const [name, sent] = Object.entries(message.headers ?? {})[0] ?? [];
    const values = [sent].flat().map((one) => Buffer.from(one ?? ''));
    const expected = {
      ...(keyBytes.toString() === 'a' ? {} : { key: keyBytes.toString('base64') }),
      ...(name ? { headers: { [name]: values.map((one) => one.toString('base64')) } } : {}),
    };
    expect(letter?.['raw']).toEqual(expected);

    const [dead] = await onDeadLetterTopic(1);
    expect(JSON.parse(dead?.headers['dlq_raw'] ?? '')).toEqual(expected);
    await reader.deadLetters.requestReplay({ topic: test.topic.event.topic });
    const [request] = await findReplayRequests(reader.nest.get(DataSource).manager, test.group, { rows: 1, bytes: 1 });
    expect(request?.message.raw?.key ?? Buffer.from(request?.message.key ?? '')).toEqual(keyBytes);
    expect(fatal).toEqual([]);
  });
});
