import { eventually } from '@tandem/testing';
import type { EventBus } from '../src/bus/bus.port';
import { createKafkaBus } from '../src/bus/kafka/kafka-bus';
import { createPostgresBus } from '../src/bus/postgres/postgres-bus';
import { resolveOptions } from '../src/events.options';
import { BusTest, describeOnEachBus } from './fixture/bus';

describeOnEachBus((kind) => {
  let test: BusTest;
  let bus: EventBus;
  const fatal: Error[] = [];
  beforeEach(async () => {
    test = await BusTest.begin(kind);
    const options = resolveOptions({
      app: 'reader',
      ...test.address,
      group: test.group,
      onFatal: (error) => fatal.push(error),
    });
    bus = kind === 'kafka' ? createKafkaBus(options) : createPostgresBus(options);
  });
  afterEach(async () => {
    await bus.consumer.stop();
    await bus.consumer.close();
    await bus.publisher.close();
    await test.end();
  });

  /** As the relay does, until the bus takes it: a broker may not lead a topic yet that was just made. */
  const publish = (...texts: string[]): Promise<void> =>
    eventually(() =>
      bus.publisher.publish(
        texts.map((text) => ({ topic: test.topic.event.topic, key: 'a', headers: {}, value: Buffer.from(text) })),
      ),
    );

  it('delivers messages again that were not taken, whatever was thrown, before the next ones', async () => {
    await publish('one', 'two', 'three');
    const errors = [new TypeError('a bug'), Object.assign(new Error('no'), { retriable: false }), 'a string'];
    const taken: string[] = [];
    let failures = 0;
    bus.consumer.start([test.topic.event.topic], async (messages) => {
      const texts = messages.map(({ value }) => String(value));
      const error = texts.includes('two') ? errors.shift() : undefined;
      if (error !== undefined) {
        failures++;
        throw error;
      }
      taken.push(...texts);
    });
    await eventually(() => expect(taken.at(-1)).toBe('three'), { timeoutMs: 20_000 });
    expect(taken).toEqual(['one', 'two', 'three']);
    expect(failures).toBe(3);
    expect(fatal).toEqual([]);
  });

  it('goes on where the group stopped', async () => {
    const seen: string[] = [];
    const sink = async (messages: readonly { value: Buffer | null }[]): Promise<void> =>
      void seen.push(...messages.map(({ value }) => String(value)));
    bus.consumer.start([test.topic.event.topic], sink);
    await publish('one', 'two');
    await eventually(() => expect(seen).toEqual(['one', 'two']));
    await bus.consumer.stop();
    await bus.consumer.close();
    await publish('three');
    const options = resolveOptions({ app: 'reader', ...test.address, group: test.group });
    const next = kind === 'kafka' ? createKafkaBus(options) : createPostgresBus(options);
    next.consumer.start([test.topic.event.topic], sink);
    await eventually(() => expect(seen.at(-1)).toBe('three'));
    expect(seen).toEqual(['one', 'two', 'three']);
    await next.consumer.stop();
    await next.consumer.close();
    await next.publisher.close();
  });
});
