import { createDataSource } from '@tandem/database';
import { eventually, type TestDatabase } from '@tandem/testing';
import { register } from 'prom-client';
import type { DataSource } from 'typeorm';
import { EventTooLargeError, InvalidEventDataError, Outbox } from '../src';
import { resolveOptions } from '../src/events.options';
import { OutboxRelay } from '../src/outbox/outbox-relay';
import { createMessagingDatabase } from './fixture/database';
import { note, noteTopic } from './fixture/note';
import { RecordingBus } from './fixture/recording-bus';

jest.setTimeout(30_000);

const topic = noteTopic();
const otherTopic = noteTopic();

describe('the outbox', () => {
  let database: TestDatabase;
  let source: DataSource;
  const relays: OutboxRelay[] = [];

  beforeEach(async () => {
    database = await createMessagingDatabase();
    source = await createDataSource({ url: database.urlFor('writer'), applicationName: 'writer' }).initialize();
  });
  afterEach(async () => {
    await Promise.all(relays.splice(0).map((relay) => relay.stop()));
    await source.destroy();
    await database.drop();
  });

  const options = resolveOptions({
    app: 'writer',
    bus: 'postgres',
    busUrl: 'unused',
    topology: topic.topology,
    tuning: { relayStandbyMs: 50 },
  });
  const relayTo = (bus: RecordingBus): { relay: OutboxRelay; outbox: Outbox } => {
    const relay = new OutboxRelay(source, bus, options);
    relays.push(relay);
    return { relay, outbox: new Outbox(source, relay, options) };
  };
  const waiting = async (): Promise<number> =>
    Number((await database.query('SELECT count(*) AS count FROM writer.outbox'))[0]?.['count']);
  /** The relays' own connections, and when each last ran a statement. */
  const relaySessions = (): Promise<{ pid: number; at: Date }[]> =>
    database.query(`SELECT pid, query_start AS at FROM pg_stat_activity
      WHERE application_name = 'writer-relay' AND datname = current_database()`);
  const addNotes = (outbox: Outbox, from: number, to: number, event = topic.event): Promise<void> =>
    outbox.transaction((manager) =>
      outbox.addMany(
        manager,
        event,
        Array.from({ length: to - from }, (_, index) => note(`book-${(from + index) % 3}`, from + index)),
      ),
    );
  const numbers = (from: number, to: number, rest: number): number[] =>
    Array.from({ length: to - from }, (_, index) => from + index).filter((number) => number % 3 === rest);

  describe('adding', () => {
    it('keeps no event of a transaction that is rolled back', async () => {
      const { outbox } = relayTo(new RecordingBus());
      const failing = outbox.transaction(async (manager) => {
        await outbox.add(manager, topic.event, note('a', 1));
        throw new Error('the business rule says no');
      });
      await expect(failing).rejects.toThrow('the business rule says no');
      expect(await waiting()).toBe(0);
    });

    it('refuses data that its own class refuses, naming the fields and no value', async () => {
      const { outbox } = relayTo(new RecordingBus());
      const wrong = { ...note('', 1), number: 'a secret' as unknown as number };
      const adding = outbox.add(source.manager, topic.event, wrong);
      await expect(adding).rejects.toThrow(InvalidEventDataError);
      await expect(adding).rejects.toThrow(/book \(minLength\); number \(isInt\)/);
      await expect(adding).rejects.not.toThrow(/a secret/);
    });

    it('refuses an event that no broker would take, an id that is no UUID and a version that is no count', async () => {
      const { outbox } = relayTo(new RecordingBus());
      const { manager } = source;
      await expect(outbox.add(manager, topic.event, note('a', 1, 'x'.repeat(900_000)))).rejects.toThrow(
        EventTooLargeError,
      );
      await expect(outbox.add(manager, topic.event, note('a', 1), { id: '17' })).rejects.toThrow('must be a UUID');
      await expect(outbox.add(manager, topic.event, note('a', 1), { version: 1.5 })).rejects.toThrow('whole number');
      expect(await waiting()).toBe(0);
    });

    it('writes CloudEvents attributes beside the data', async () => {
      const { outbox } = relayTo(new RecordingBus());
      await outbox.transaction((manager) => outbox.add(manager, topic.event, note('a', 1), { version: 3 }));
      const [row] = await database.query('SELECT event_id, key, headers, payload FROM writer.outbox');
      expect(row).toMatchObject({ key: 'a', payload: Buffer.from('{"book":"a","number":1}') });
      expect(row?.['headers']).toEqual({
        ce_specversion: '1.0',
        ce_id: row?.['event_id'],
        ce_type: topic.event.topic,
        ce_source: '/tandem/writer',
        ce_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        ce_subject: 'a',
        ce_sequence: '3',
        'content-type': 'application/json',
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      });
    });
  });

  describe('the relay', () => {
    it('publishes what waits, in order, and keeps none of it', async () => {
      const bus = new RecordingBus();
      const { relay, outbox } = relayTo(bus);
      await addNotes(outbox, 0, 5_000);
      relay.start();
      await eventually(async () => expect(await waiting()).toBe(0));
      for (const rest of [0, 1, 2]) expect(bus.firstSeen(`book-${rest}`)).toEqual(numbers(0, 5_000, rest));
      expect(Math.max(...bus.sizes)).toBe(500);
    });

    it('keeps the order of a key when sends fail half way', async () => {
      const bus = new RecordingBus();
      let sends = 0;
      bus.failAfter = (messages) => (++sends % 3 === 0 ? undefined : Math.floor(messages.length * 0.4));
      const { relay, outbox } = relayTo(bus);
      await addNotes(outbox, 0, 1_200);
      relay.start();
      await eventually(async () => expect(await waiting()).toBe(0), { timeoutMs: 20_000 });
      for (const rest of [0, 1, 2]) expect(bus.firstSeen(`book-${rest}`)).toEqual(numbers(0, 1_200, rest));
      expect(bus.stored.length).toBeGreaterThan(1_200);
    });

    it('lets a topic that cannot be published hold up no other', async () => {
      const bus = new RecordingBus();
      let broken = true;
      bus.failAfter = (messages) =>
        broken && messages.some(({ topic: name }) => name === topic.event.topic) ? 0 : undefined;
      const { relay, outbox } = relayTo(bus);
      await addNotes(outbox, 0, 2_500);
      await addNotes(outbox, 0, 30, otherTopic.event);
      relay.start();
      await eventually(() => expect(bus.stored).toHaveLength(30));
      expect(await waiting()).toBe(2_500);
      broken = false;
      await eventually(async () => expect(await waiting()).toBe(0));
      expect(bus.stored).toHaveLength(2_530);
    });

    it('splits sends by their size', async () => {
      const bus = new RecordingBus();
      const { relay, outbox } = relayTo(bus);
      await outbox.transaction((manager) =>
        outbox.addMany(
          manager,
          topic.event,
          Array.from({ length: 6 }, (_, index) => note('a', index, 'x'.repeat(200_000))),
        ),
      );
      relay.start();
      await eventually(async () => expect(await waiting()).toBe(0));
      expect(bus.sizes).toEqual([2, 2, 2]);
    });

    it('is led by one process; another takes over when it ends', async () => {
      const [first, second] = [new RecordingBus(), new RecordingBus()];
      const one = relayTo(first);
      one.relay.start();
      await addNotes(one.outbox, 0, 10);
      await eventually(() => expect(first.stored).toHaveLength(10));
      const [leader] = await relaySessions();
      const two = relayTo(second);
      two.relay.start();
      // The leader is held up in a send: whoever else may publish would do so now.
      let open = (): void => undefined;
      first.gate = new Promise((resolve) => (open = resolve));
      await addNotes(one.outbox, 10, 20);
      const lookedAt = new Set<number>();
      await eventually(async () => {
        for (const { pid, at } of await relaySessions()) if (pid !== leader?.pid) lookedAt.add(at.getTime());
        expect(lookedAt.size).toBeGreaterThan(4);
      });
      expect(second.stored).toEqual([]);
      open();
      await eventually(() => expect(first.stored).toHaveLength(20));

      await one.relay.stop();
      await addNotes(one.outbox, 20, 30);
      await eventually(() => expect(second.stored).toHaveLength(10));
      expect(first.stored).toHaveLength(20);
    });

    it('gives up the lead with its connection, and loses nothing', async () => {
      const buses = [new RecordingBus(), new RecordingBus()];
      const [one] = buses.map((bus) => relayTo(bus));
      for (const relay of relays) relay.start();
      const cut = (): Promise<unknown> =>
        database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'writer-relay'
          AND datname = current_database()`);
      for (let round = 0; round < 5; round++) {
        await addNotes(one?.outbox as Outbox, round * 300, (round + 1) * 300);
        await cut();
      }
      await eventually(async () => expect(await waiting()).toBe(0));
      const all = new RecordingBus();
      all.stored.push(...buses.flatMap(({ stored }) => stored));
      for (const rest of [0, 1, 2])
        expect(all.firstSeen(`book-${rest}`).sort((a, b) => a - b)).toEqual(numbers(0, 1_500, rest));
    });

    it('publishes nothing after its stop, and marks the send in hand', async () => {
      const bus = new RecordingBus();
      const { relay, outbox } = relayTo(bus);
      let open = (): void => undefined;
      bus.gate = new Promise((resolve) => (open = resolve));
      await addNotes(outbox, 0, 700);
      relay.start();
      await eventually(async () =>
        expect(
          await database.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database =
            (SELECT oid FROM pg_database WHERE datname = current_database())`),
        ).toHaveLength(1),
      );
      const reading = eventually(() => expect(bus.sizes.length).toBeGreaterThan(0));
      const stopped = new Promise<void>((resolve) => setTimeout(resolve, 100)).then(() => {
        const ended = relay.stop();
        open();
        return ended;
      });
      await Promise.all([reading, stopped]);
      expect(bus.stored).toHaveLength(500);
      expect(await waiting()).toBe(200);
      await addNotes(outbox, 700, 710);
      expect(bus.stored).toHaveLength(500);
    });

    it('shows how many events wait', async () => {
      const bus = new RecordingBus();
      bus.failAfter = () => 0;
      const { relay, outbox } = relayTo(bus);
      await addNotes(outbox, 0, 7);
      relay.start();
      await eventually(async () => expect(await register.metrics()).toMatch(/events_outbox_pending\{app="writer"\} 7/));
    });
  });
});
