import { describeOnBus, eventually } from '@tandem/testing';
import { type BatchSink, createKafkaBus, type EventBus } from '../src';
import { BusTest } from './fixture/bus';

jest.setTimeout(60_000);

describeOnBus(
  'kafka',
  () => {
    let test: BusTest;
    const buses: EventBus[] = [];
    beforeEach(async () => {
      test = await BusTest.begin('kafka');
    });
    afterEach(async () => {
      for (const { consumer, publisher } of buses.splice(0)) {
        await consumer.stop();
        await consumer.close();
        await publisher.close();
      }
      await test.end();
    });
    const open = (app: 'writer' | 'reader'): EventBus => {
      const bus = createKafkaBus(test.optionsOf(app));
      buses.push(bus);
      return bus;
    };

    it('aborts a waiting handler on a rebalance, and redelivers its messages to a member of the group', async () => {
      const { topic } = test.topic.event;
      const keys = Array.from({ length: 12 }, (_, index) => `key-${index}`);
      await open('writer').publisher.publish(
        keys.map((key) => ({ topic, key, headers: { ce_id: key }, value: Buffer.from(key) })),
      );
      let waiting = 0;
      let aborted = 0;
      let handles = false;
      const seen = new Set<string>();
      /** Behaves like a handler whose attempts keep timing out: only the signal ends its wait. */
      const sink: BatchSink = async (messages, signal) => {
        if (!handles) {
          waiting++;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          aborted++;
          handles = true; // set here, before the redelivery: if the test set it later, the redelivery might already wait without end
          throw new Error('the delivery was aborted');
        }
        for (const { value } of messages) seen.add(value?.toString() ?? '');
      };
      open('reader').consumer.start([topic], sink);
      await eventually(() => expect(waiting).toBeGreaterThan(0), { timeoutMs: 20_000 });
      open('reader').consumer.start([topic], sink);
      await eventually(() => expect(aborted).toBeGreaterThan(0), { timeoutMs: 20_000 });
      await eventually(() => expect([...seen].sort()).toEqual([...keys].sort()), { timeoutMs: 30_000 });
    });
  },
  'the',
);
