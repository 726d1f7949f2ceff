import { Logger } from '@nestjs/common';
import { describeOnBus, eventually, type FaultyServer, startKafkaBroker } from '@tandem/testing';
import { BusTest, take } from './fixture/bus';
import { note } from './fixture/note';

jest.setTimeout(120_000);

const PATIENTLY = { timeoutMs: 60_000, everyMs: 100 };

describeOnBus('kafka', () => {
  let broker: FaultyServer & { readonly brokers: string[] };
  let test: BusTest;
  let messages: string[];
  let retries: number;

  const remember = (line: unknown): void => {
    const { msg = '' } = line as { msg?: string };
    if (msg.startsWith('Kafka is')) messages.push(msg);
  };

  beforeEach(async () => {
    broker = await startKafkaBroker();
    test = await BusTest.begin('kafka', { kafkaBrokers: broker.brokers });
    messages = [];
    retries = 0;
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(remember);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(remember);
    jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => void retries++);
  });
  afterEach(async () => {
    await test.end();
    await broker.stop();
    jest.restoreAllMocks();
  });

  it('logs one line when Kafka goes down and one when it is available again, for all clients and retries of a process', async () => {
    const writer = await test.writer();
    await test.reader();
    await take(writer, test.topic, [note('before', 1)]);
    await eventually(async () => expect(await test.count('reader.effect')).toBe(1), PATIENTLY);

    await broker.kill();
    await take(writer, test.topic, [note('meanwhile', 2)]);
    await eventually(() => expect(retries).toBeGreaterThan(20), PATIENTLY);
    expect(messages).toEqual(['Kafka is unavailable']);

    await broker.start();
    await eventually(async () => expect(await test.count('reader.effect')).toBe(2), PATIENTLY);
    await eventually(() => expect(messages).toContain('Kafka is available again'), PATIENTLY);
    expect(messages).toEqual(['Kafka is unavailable', 'Kafka is available again']);
  });
});
