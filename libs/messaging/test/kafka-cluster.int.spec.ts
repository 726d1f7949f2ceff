import { describeKafka, eventually } from '@tandem/testing';
import { BusTest, expectEachBookInOrder } from './fixture/bus';
import { createMessagingDatabase } from './fixture/database';
import { type KafkaCluster, startKafkaCluster } from './fixture/servers';
import { startStream } from './fixture/stream';

jest.setTimeout(360_000);

describeKafka('three Kafka brokers that require two acknowledgments for each event', () => {
  let cluster: KafkaCluster;
  let test: BusTest;
  beforeAll(async () => {
    cluster = await startKafkaCluster();
    test = await BusTest.begin('kafka', { database: await createMessagingDatabase(), kafkaBrokers: cluster.brokers });
  });
  afterAll(async () => {
    await test.end();
    await cluster.stop();
  });

  it('lose no event while they are restarted in turn under load, and consumers handle each event once', async () => {
    const writer = await test.writer();
    await test.reader();
    await test.reader();
    const stream = startStream(writer, test.topic, 2);
    await eventually(async () => expect(await test.count('reader.effect')).toBeGreaterThan(50), { timeoutMs: 30_000 });
    for (const [node, action] of (['terminate', 'kill', 'terminate'] as const).entries()) {
      await cluster.act(node, action);
      await cluster.act(node, 'start');
      const before = await test.count('reader.effect');
      // The group recovers before the next broker stops: two brokers are never down at the same time.
      await eventually(async () => expect(await test.count('reader.effect')).toBeGreaterThan(before + 20), {
        timeoutMs: 40_000,
      });
    }
    await eventually(() => expect(stream.accepted.length).toBeGreaterThan(500), { timeoutMs: 150_000 });
    await stream.stop();

    const effects = await eventually(
      async () => {
        expect(await test.count('reader.effect')).toBeGreaterThanOrEqual(stream.accepted.length);
        return test.effects();
      },
      { timeoutMs: 40_000, everyMs: 200 },
    );
    expect(effects).toHaveLength(stream.accepted.length);
    expect(new Set(effects.map(({ event_id }) => event_id)).size).toBe(effects.length);
    expectEachBookInOrder(effects);
    expect(await test.count('writer.outbox')).toBe(0);
    expect(await test.count('reader.dead_letter')).toBe(0);
  });
});
