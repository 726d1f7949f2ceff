import net from 'node:net';
import { describeKafka, eventually } from '@tandem/testing';
import { Kafka, logLevel } from 'kafkajs';
import { BusTest, take } from './fixture/bus';
import { note } from './fixture/note';
import { type OwnServers, startOwnServers } from './fixture/servers';

jest.setTimeout(120_000);

/**
 * How long the broker hangs before it is killed. This is longer than the heartbeat interval, so that a heartbeat of the
 * consumer is due when the connections to the broker end.
 */
const HANGS_MS = 2_000;

describeKafka('a Kafka consumer whose broker is killed', () => {
  let servers: OwnServers;
  beforeEach(async () => {
    servers = await startOwnServers('kafka');
  });
  afterEach(() => servers.end());

  /** Returns the member ids of the reader's group, according to the broker. */
  async function memberIds(): Promise<string[]> {
    const admin = new Kafka({ brokers: servers.test.address.kafkaBrokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      const { groups } = await admin.describeGroups([servers.test.group]);
      return groups.flatMap(({ members }) => members.map(({ memberId }) => memberId));
    } finally {
      await admin.disconnect();
    }
  }

  it('keeps its member id in its group, even if the broker hangs first', async () => {
    const writer = await servers.test.writer();
    await servers.test.reader();
    await take(writer, servers.test.topic, [note('before', 1)]);
    await eventually(async () => expect(await servers.test.count('reader.effect')).toBe(1), { timeoutMs: 30_000 });
    const before = await memberIds();

    process.kill(servers.bus.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, HANGS_MS));
    await servers.bus.kill();
    await servers.bus.start();

    await take(writer, servers.test.topic, [note('after', 2)]);
    await eventually(async () => expect(await servers.test.count('reader.effect')).toBe(2), { timeoutMs: 60_000 });
    expect(before).toHaveLength(1);
    expect(await memberIds()).toEqual(before);
  });
});

describeKafka('a Kafka consumer whose connections are cut', () => {
  it('continues when its connections end in the middle of a response', async () => {
    const test = await BusTest.begin('kafka');
    const connect = jest.spyOn(net, 'connect');
    try {
      const writer = await test.writer();
      await take(writer, test.topic, [note('before', 1)]);
      await eventually(async () => expect(await test.count('writer.outbox')).toBe(0));
      connect.mockClear();
      await test.reader();
      await eventually(async () => expect(await test.count('reader.effect')).toBe(1), { timeoutMs: 30_000 });
      const port = Number(test.address.kafkaBrokers[0]?.split(':')[1]);
      const sockets = connect.mock.results
        .map(({ value }) => value as net.Socket)
        .filter(({ remotePort }) => remotePort === port);

      for (const socket of sockets) {
        socket.emit('data', Buffer.from([0, 16, 0, 0, 0])); // the first five bytes of a response of a megabyte
        socket.destroy(new Error('read ECONNRESET'));
      }
      await take(writer, test.topic, [note('after', 2)]);

      await eventually(async () => expect(await test.count('reader.effect')).toBe(2), { timeoutMs: 20_000 });
      expect(sockets.length).toBeGreaterThanOrEqual(2);
    } finally {
      connect.mockRestore();
      await test.end();
    }
  });
});
