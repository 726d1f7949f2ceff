import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tandem/testing';
import { Client } from 'pg';
import { readOutbox } from '../src/outbox/outbox.repository';
import { asEvents, note, noteTopic } from './fixture/note';
import { numbersOfBook, OutboxTest } from './fixture/outbox';
import { RecordingBus } from './fixture/recording-bus';

jest.setTimeout(30_000);

const otherTopic = noteTopic();

describe('the relay', () => {
  let test: OutboxTest;
  beforeEach(async () => {
    test = await OutboxTest.begin();
  });
  afterEach(() => test.end());

  it('publishes the pending rows in order per key, and removes them all', async () => {
    const bus = new RecordingBus();
    const { relay, outbox } = test.relayTo(bus);
    await test.addNotes(outbox, 0, 5_000);
    relay.start();
    await eventually(async () => expect(await test.countPending()).toBe(0));
    for (const book of [0, 1, 2]) expect(bus.firstSeen(`book-${book}`)).toEqual(numbersOfBook(book, 0, 5_000));
    expect(Math.max(...bus.sizes)).toBe(500);
  });

  it('keeps the order of a key when sends fail partway', async () => {
    const bus = new RecordingBus();
    let sends = 0;
    bus.failAfter = (messages) => (++sends % 3 === 0 ? undefined : Math.floor(messages.length * 0.4));
    const { relay, outbox } = test.relayTo(bus);
    await test.addNotes(outbox, 0, 1_200);
    relay.start();
    await eventually(async () => expect(await test.countPending()).toBe(0), { timeoutMs: 20_000 });
    for (const book of [0, 1, 2]) expect(bus.firstSeen(`book-${book}`)).toEqual(numbersOfBook(book, 0, 1_200));
    expect(bus.stored.length).toBeGreaterThan(1_200);
  });

  it('publishes the other topics while one topic cannot be published', async () => {
    const bus = new RecordingBus();
    let broken = true;
    bus.failAfter = (messages) =>
      broken && messages.some(({ topic: name }) => name === test.topic.event.topic) ? 0 : undefined;
    const { relay, outbox } = test.relayTo(bus);
    await test.addNotes(outbox, 0, 2_500);
    await test.addNotes(outbox, 0, 30, otherTopic.event);
    relay.start();
    await eventually(() => expect(bus.stored).toHaveLength(30));
    expect(await test.countPending()).toBe(2_500);
    broken = false;
    await eventually(async () => expect(await test.countPending()).toBe(0));
    expect(bus.stored).toHaveLength(2_530);
  });

  it('publishes the other topics while the sends of one topic are slow, and then publishes the slow topic', async () => {
    const bus = new RecordingBus();
    let open = (): void => undefined;
    bus.gates.set(test.topic.event.topic, new Promise((resolve) => (open = resolve)));
    const { relay, outbox } = test.relayTo(bus, { relayIdleMs: 60_000 });
    relay.start();
    await test.addNotes(outbox, 0, 30);
    for (let from = 0; from < 30; from += 10) {
      await test.addNotes(outbox, from, from + 10, otherTopic.event);
      await eventually(() => expect(bus.stored).toHaveLength(from + 10));
    }
    await test.addNotes(outbox, 30, 60);
    open();
    await eventually(async () => expect(await test.countPending()).toBe(0));
    for (const book of [0, 1, 2]) expect(bus.firstSeen(`book-${book}`).length).toBe(20);
    const slow = bus.stored.filter(({ topic }) => topic === test.topic.event.topic).map(({ number }) => number);
    expect(slow).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  it('keeps the order of a topic while the first send of another topic fails', async () => {
    const bus = new RecordingBus();
    const { relay, outbox } = test.relayTo(bus);
    const [first, second] = [test.topic.event, otherTopic.event].sort((one, other) =>
      one.topic < other.topic ? -1 : 1,
    );
    let failures = 0;
    bus.failAfter = (messages) => (messages[0]?.topic === first?.topic && failures++ === 0 ? 0 : undefined);
    // A send has at most 500 messages, so each of the topics needs two sends.
    await test.addNotes(outbox, 0, 600, first);
    await test.addNotes(outbox, 0, 900, second);
    relay.start();
    await eventually(async () => expect(await test.countPending()).toBe(0));
    const numbers = bus.stored.filter(({ topic }) => topic === second?.topic).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 900 }, (_, index) => index));
  });

  it('reads fewer than 20 rows of the outbox when its read excludes a topic with 5,000 rows', async () => {
    const { outbox } = test.relayTo(new RecordingBus());
    await test.addNotes(outbox, 0, 5_000);
    await test.addNotes(outbox, 0, 3, otherTopic.event);
    const client = new Client({ connectionString: test.database.urlFor('writer') });
    await client.connect();
    await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; BEGIN');
    const limits = { rows: 2_000, bytes: 8_000_000 };
    expect(await readOutbox(client, limits, [test.topic.event.topic])).toHaveLength(3);
    const { rows } = await client.query<{ touched: string }>(
      `SELECT seq_tup_read + idx_tup_fetch AS touched FROM pg_stat_xact_user_tables WHERE relid = 'outbox'::regclass`,
    );
    await client.end();
    expect(Number(rows[0]?.touched)).toBeLessThan(20);
  });

  it('divides large messages of one topic among several sends', async () => {
    const bus = new RecordingBus();
    const { relay, outbox } = test.relayTo(bus);
    await outbox.transaction((manager) =>
      outbox.addMany(
        manager,
        test.topic.event,
        asEvents(Array.from({ length: 6 }, (_, index) => note('a', index, 'x'.repeat(200_000)))),
      ),
    );
    relay.start();
    await eventually(async () => expect(await test.countPending()).toBe(0));
    expect(bus.sizes).toEqual([2, 2, 2]);
  });

  it('removes the rows of the current send when the relay stops, and publishes nothing afterwards', async () => {
    const bus = new RecordingBus();
    const { relay, outbox } = test.relayTo(bus);
    let open = (): void => undefined;
    bus.gate = new Promise((resolve) => (open = resolve));
    await test.addNotes(outbox, 0, 700);
    relay.start();
    await eventually(() => expect(bus.started).toBe(1));
    const stopped = relay.stop();
    open();
    await stopped;
    expect(bus.stored).toHaveLength(500);
    expect(await test.countPending()).toBe(200);
    await test.addNotes(outbox, 700, 710);
    expect(bus.stored).toHaveLength(500);
  });

  it('reads a limited number of bytes at a time, but at least one row', async () => {
    const bus = new RecordingBus();
    const { relay, outbox } = test.relayTo(bus);
    for (let index = 0; index < 24; index++)
      await outbox.transaction((manager) =>
        outbox.add(manager, test.topic.event, note('a', index, 'x'.repeat(800_000))),
      );
    const client = new Client({ connectionString: test.database.urlFor('writer') });
    await client.connect();
    expect(await readOutbox(client, { rows: 2_000, bytes: 8 * 1024 * 1024 }, [])).toHaveLength(11);
    expect(await readOutbox(client, { rows: 5, bytes: 8 * 1024 * 1024 }, [])).toHaveLength(5);
    expect(await readOutbox(client, { rows: 2_000, bytes: 1 }, [])).toHaveLength(1);
    await client.end();
    relay.start();
    await eventually(async () => expect(await test.countPending()).toBe(0), { timeoutMs: 20_000 });
    expect(bus.firstSeen('a')).toEqual(Array.from({ length: 24 }, (_, index) => index));
  });

  describe('when the bus refuses events', () => {
    const now = performance.now.bind(performance);
    let passedMs = 0;
    beforeEach(() => {
      passedMs = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
    });
    afterEach(() => jest.restoreAllMocks());

    it('lets another process lead after 10 s, and that process publishes each event once', async () => {
      const [cutOff, connected] = [new RecordingBus(), new RecordingBus()];
      cutOff.failAfter = () => 0;
      const { relay, outbox } = test.relayTo(cutOff);
      relay.start();
      await eventually(() => expect(relay.leads).toBe(true));
      const other = test.relayTo(connected).relay;
      other.start();
      await test.addNotes(outbox, 0, 30);
      await test.addNotes(outbox, 0, 30, otherTopic.event);
      await eventually(() => expect(cutOff.started).toBeGreaterThan(4));
      expect([relay.leads, connected.stored.length]).toEqual([true, 0]);
      passedMs = 10_000;
      await eventually(async () => expect(await test.countPending()).toBe(0));
      expect([relay.leads, other.leads, connected.stored.length]).toEqual([false, true, 60]);
    });

    it('lets another process lead even if the slow, failing sends of two topics overlap', async () => {
      const [cutOff, connected] = [new RecordingBus(), new RecordingBus()];
      cutOff.failAfter = () => 0;
      jest.spyOn(cutOff.gates, 'get').mockImplementation(() => sleep(1_000));
      const { relay, outbox } = test.relayTo(cutOff);
      relay.start();
      await eventually(() => expect(relay.leads).toBe(true));
      test.relayTo(connected).relay.start();
      await test.addNotes(outbox, 0, 3);
      await sleep(500);
      await test.addNotes(outbox, 0, 3, otherTopic.event);
      await eventually(() => expect(cutOff.started).toBe(3));
      passedMs = 10_000;
      await eventually(async () => expect(await test.countPending()).toBe(0), { timeoutMs: 3_000 });
      expect(connected.stored).toHaveLength(6);
    });

    it('logs no recovery when the next leader cannot publish either', async () => {
      const lines: string[] = [];
      jest.spyOn(Logger.prototype, 'warn').mockImplementation(({ msg }: { msg: string }) => void lines.push(msg));
      jest.spyOn(Logger.prototype, 'log').mockImplementation(({ msg }: { msg: string }) => void lines.push(msg));
      const buses = [new RecordingBus(), new RecordingBus()];
      const relays = buses.map((bus) => {
        bus.failAfter = () => 0;
        return test.relayTo(bus);
      });
      await test.addNotes((relays[0] as (typeof relays)[number]).outbox, 0, 3);
      for (const { relay } of relays) relay.start();
      for (let round = 1; round <= 3; round++) {
        const leader = relays.findIndex(({ relay }) => relay.leads);
        const { started } = buses[Math.max(0, leader)] as RecordingBus;
        await eventually(() => expect(Math.max(...buses.map((bus) => bus.started))).toBeGreaterThan(started));
        passedMs += 10_000;
        await eventually(() => expect(lines.filter((line) => line.startsWith('the relay')).length).toBe(round));
      }
      expect(lines.filter((line) => line.endsWith('is published again'))).toEqual([]);
    });

    it('keeps the leadership if the bus refuses only one of two topics', async () => {
      const bus = new RecordingBus();
      bus.failAfter = ([first]) => (first?.topic === test.topic.event.topic ? 0 : undefined);
      const { relay, outbox } = test.relayTo(bus);
      relay.start();
      await test.addNotes(outbox, 0, 3);
      await eventually(() => expect(bus.started).toBeGreaterThan(1));
      const sessions = (await test.relaySessions()).map(({ pid }) => pid);
      for (let round = 1; round <= 5; round++) {
        await test.addNotes(outbox, 0, 3, otherTopic.event);
        await eventually(async () => expect(await test.countPending()).toBe(3));
        passedMs += 6_000;
        const { started } = bus;
        await eventually(() => expect(bus.started).toBeGreaterThan(started));
      }
      expect((await test.relaySessions()).map(({ pid }) => pid)).toEqual(sessions);
    });

    it('logs one line each time it resigns, and publishes each event once when the bus is up again', async () => {
      const lines: string[] = [];
      const remember = ({ msg }: { msg: string }): void => void lines.push(msg);
      jest.spyOn(Logger.prototype, 'warn').mockImplementation(remember);
      jest.spyOn(Logger.prototype, 'log').mockImplementation(remember);
      const bus = new RecordingBus();
      let down = true;
      bus.failAfter = () => (down ? 0 : undefined);
      const { relay, outbox } = test.relayTo(bus);
      await test.addNotes(outbox, 0, 30);
      relay.start();
      const failed = `${test.topic.event.topic} cannot be published`;
      const resigned = 'the relay publishes nothing, so it lets another process of the app lead';
      for (let times = 1; times <= 3; times++) {
        const { started } = bus;
        await eventually(() => expect(bus.started).toBeGreaterThan(started));
        passedMs += 10_000;
        await eventually(() => expect(lines).toEqual([failed, ...Array<string>(times).fill(resigned)]));
      }
      down = false;
      await eventually(async () => expect(await test.countPending()).toBe(0));
      expect(bus.stored).toHaveLength(30);
      expect(lines.at(-1)).toBe(`${test.topic.event.topic} is published again`);
    });
  });
});
