import { describeOnEachBus, eventually } from '@tandem/testing';
import { type BatchSink, createKafkaBus, createPostgresBus, type EventBus } from '../src';
import { BusTest } from './fixture/bus';

describeOnEachBus((kind) => {
  let test: BusTest;
  let buses: EventBus[];
  const fatal: Error[] = [];
  const open = (app: 'writer' | 'reader'): EventBus => {
    const options = test.optionsOf(app, (error) => fatal.push(error));
    const bus = kind === 'kafka' ? createKafkaBus(options) : createPostgresBus(options);
    buses.push(bus);
    return bus;
  };
  const close = async ({ consumer, publisher }: EventBus): Promise<void> => {
    await consumer.stop();
    await consumer.close();
    await publisher.close();
  };
  let writer: EventBus;
  beforeEach(async () => {
    test = await BusTest.begin(kind);
    buses = [];
    writer = open('writer');
  });
  afterEach(async () => {
    for (const bus of buses) await close(bus);
    await test.end();
  });

  /**
   * Publishes messages, and retries until the bus accepts them, as the relay does, because a new topic may not have a
   * leader yet. All messages have the same key, and therefore the same partition: either all are stored, or none.
   */
  const publishOf = (key: string, texts: readonly string[]): Promise<void> =>
    eventually(() =>
      writer.publisher.publish(
        texts.map((text) => ({ topic: test.topic.event.topic, key, headers: {}, value: Buffer.from(text) })),
      ),
    );
  const publish = (...texts: string[]): Promise<void> => publishOf('a', texts);

  it('redelivers a failed batch before it delivers later messages, whatever the handler threw', async () => {
    await publish('one', 'two', 'three');
    const errors = [new TypeError('a bug'), Object.assign(new Error('no'), { retriable: false }), 'a string'];
    const done: string[] = [];
    const refused: string[] = [];
    open('reader').consumer.start([test.topic.event.topic], async (messages) => {
      const texts = messages.map(({ value }) => String(value));
      const error = texts.includes('two') ? errors.shift() : undefined;
      if (error === undefined) done.push(...texts);
      else {
        refused.push(...texts.filter((text) => text === 'two'));
        throw error;
      }
    });
    await eventually(() => expect(done.at(-1)).toBe('three'), { timeoutMs: 20_000 });
    await publish('four');
    await eventually(() => expect(done.at(-1)).toBe('four'));
    expect(refused).toEqual(['two', 'two', 'two']);
    expect(done).toEqual(['one', 'two', 'three', 'four']);
    expect(fatal).toEqual([]);
  });

  it('delivers the messages of one partition one batch at a time, in order', async () => {
    const texts = Array.from({ length: 300 }, (_, index) => String(index));
    for (let rest = 0; rest < 20; rest++) {
      const ofKey = texts.filter((text) => Number(text) % 20 === rest);
      await publishOf(`key-${rest}`, ofKey);
    }
    const offsets = new Map<number, number[]>();
    const inHand = new Set<number>();
    const overlaps: number[] = [];
    const widths: number[] = [];
    const seen: string[] = [];
    open('reader').consumer.start([test.topic.event.topic], async (messages) => {
      const [{ partition } = { partition: -1 }] = messages;
      if (inHand.has(partition)) overlaps.push(partition);
      inHand.add(partition);
      await new Promise((resolve) => setImmediate(resolve));
      inHand.delete(partition);
      widths.push(new Set(messages.map((message) => `${message.topic}/${message.partition}`)).size);
      offsets.set(partition, [...(offsets.get(partition) ?? []), ...messages.map(({ offset }) => Number(offset))]);
      seen.push(...messages.map(({ value }) => String(value)));
    });
    await eventually(() => expect(seen).toHaveLength(300), { timeoutMs: 20_000 });
    expect(overlaps).toEqual([]);
    expect(new Set(widths)).toEqual(new Set([1]));
    for (const of of offsets.values()) expect(of).toEqual([...of].sort((a, b) => a - b));
    expect([...seen].sort()).toEqual([...texts].sort());
  });

  it('continues at the group’s position when one member has stopped and another one starts', async () => {
    const seen: string[] = [];
    const sink: BatchSink = async (messages) => void seen.push(...messages.map(({ value }) => String(value)));
    const first = open('reader');
    first.consumer.start([test.topic.event.topic], sink);
    await publish('one', 'two');
    await eventually(() => expect(seen).toEqual(['one', 'two']));
    await first.consumer.stop();
    await first.consumer.close();
    await publish('three');
    open('reader').consumer.start([test.topic.event.topic], sink);
    await eventually(() => expect(seen.at(-1)).toBe('three'));
    expect(seen).toEqual(['one', 'two', 'three']);
  });
}, 'the');
