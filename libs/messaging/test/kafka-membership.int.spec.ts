import { describeKafka, eventually } from '@tandem/testing';
import { Kafka, logLevel } from 'kafkajs';
import { take } from './fixture/bus';
import { note } from './fixture/note';
import { type OwnServers, startOwnServers } from './fixture/servers';

jest.setTimeout(120_000);

/** Longer than the heartbeat interval, so that one is due when the broker ends. */
const HANGS_MS = 2_000;

describeKafka('the membership of a Kafka consumer', () => {
  let servers: OwnServers;
  beforeEach(async () => {
    servers = await startOwnServers('kafka');
  });
  afterEach(() => servers.end());

  /** The member ids of the reader's group, as the broker knows them. */
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

  it('outlives a broker that hangs while a fetch waits, and is then killed', async () => {
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
