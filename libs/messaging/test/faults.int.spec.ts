import { eventually } from '@tandem/testing';
import { BusTest, describeOnEachBus, type Effect, expectEachBookInOrder, take } from './fixture/bus';
import { note } from './fixture/note';
import { forkConsumer, type OwnServers, startOwnServers } from './fixture/servers';
import { startStream } from './fixture/stream';

jest.setTimeout(120_000);

const seconds = (count: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, count * 1_000));

const numbersOf = (notes: readonly { number: number }[]): number[] => notes.map(({ number }) => number);

describeOnEachBus((bus) => {
  it('hands over every event once when a consumer is killed in the middle', async () => {
    const test = await BusTest.begin(bus);
    try {
      const setup = {
        ...test.address,
        databaseUrl: test.database.urlFor('reader'),
        topic: test.topic.event.topic,
        group: test.group,
        delayMs: 3,
      };
      const victim = await forkConsumer({ ...setup, name: 'victim' });
      const survivor = await forkConsumer({ ...setup, name: 'survivor' });
      const writer = await test.writer();
      const notes = Array.from({ length: 3_000 }, (_, index) => note(`book-${index % 40}`, index));
      await writer.outbox.transaction((manager) => writer.outbox.addMany(manager, test.topic.event, notes));
      await eventually(() => expect(victim.handled.length).toBeGreaterThan(100));
      await victim.kill();
      const countAtDeath = await test.count('reader.effect');

      const effects = await eventually(
        async () => {
          expect(await test.count('reader.effect')).toBeGreaterThanOrEqual(notes.length);
          return test.effects();
        },
        { timeoutMs: 60_000, everyMs: 100 },
      );
      expect(countAtDeath).toBeLessThan(notes.length);
      expect(effects).toHaveLength(notes.length);
      expectEachBookInOrder(effects);
      expect(new Set(effects.map(({ handled_by }) => handled_by))).toEqual(new Set(['victim', 'survivor']));
      await survivor.kill();
    } finally {
      await test.end();
    }
  });

  describe('when a server is killed', () => {
    let servers: OwnServers;
    beforeEach(async () => {
      servers = await startOwnServers(bus);
    });
    afterEach(() => servers.end());

    /** Every accepted note must have its effect; one whose commit was cut off may have it. None has two. */
    async function expectNothingLost(accepted: readonly { number: number }[]): Promise<void> {
      const effects = await eventually(
        async (): Promise<Effect[]> => {
          const all = await servers.test.effects();
          expect(numbersOf(all)).toEqual(expect.arrayContaining(numbersOf(accepted)));
          return all;
        },
        { timeoutMs: 30_000, everyMs: 200 },
      );
      expect(new Set(effects.map(({ event_id }) => event_id)).size).toBe(effects.length);
      expectEachBookInOrder(effects);
    }

    it('catches up by itself after its bus was away for 20 s', async () => {
      const fatal: Error[] = [];
      const onFatal = (error: Error): void => void fatal.push(error);
      const writer = await servers.test.writer({ onFatal });
      await servers.test.reader({ onFatal });
      const stream = startStream(writer, servers.test.topic, 10);
      await eventually(async () => expect(await servers.test.count('reader.effect')).toBeGreaterThan(100));

      await servers.bus.kill();
      await seconds(20);
      await servers.bus.start();

      await seconds(1);
      await stream.stop();
      await take(writer, servers.test.topic, [note('after', 1_000_000)]);
      await expectNothingLost([...stream.accepted, { number: 1_000_000 }]);
      expect(fatal).toEqual([]);
    });

    it('handles each event once when its database is killed three times', async () => {
      const writer = await servers.test.writer();
      await servers.test.reader();
      const stream = startStream(writer, servers.test.topic, 3);
      for (let kill = 0; kill < 3; kill++) {
        await seconds(1);
        await servers.postgres.kill();
        await servers.postgres.start();
      }
      await seconds(1);
      await stream.stop();
      expect(stream.accepted.length).toBeGreaterThan(50);
      await expectNothingLost(stream.accepted);
    });
  });
});
