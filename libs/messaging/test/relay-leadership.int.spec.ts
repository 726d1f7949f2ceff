import { eventually } from '@tandem/testing';
import { Client } from 'pg';
import { register } from 'prom-client';
import type { Outbox } from '../src';
import { RelayLeadership } from '../src/outbox/relay-leadership';
import { numbersOfBook, OutboxTest } from './fixture/outbox';
import { RecordingBus } from './fixture/recording-bus';

jest.setTimeout(30_000);

describe('the leadership of the relay', () => {
  let test: OutboxTest;
  beforeEach(async () => {
    test = await OutboxTest.begin();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await test.end();
  });

  it('belongs to one process, and passes to another process when the relay of the first process stops', async () => {
    const [first, second] = [new RecordingBus(), new RecordingBus()];
    const one = test.relayTo(first);
    one.relay.start();
    await test.addNotes(one.outbox, 0, 10);
    await eventually(() => expect(first.stored).toHaveLength(10));
    const [leader] = await test.relaySessions();
    const two = test.relayTo(second);
    two.relay.start();
    // The leader is blocked in a send. If another process were allowed to publish, it would do so now.
    let open = (): void => undefined;
    first.gate = new Promise((resolve) => (open = resolve));
    await test.addNotes(one.outbox, 10, 20);
    const lookedAt = new Set<number>();
    await eventually(async () => {
      for (const { pid, at } of await test.relaySessions()) if (pid !== leader?.pid) lookedAt.add(at.getTime());
      expect(lookedAt.size).toBeGreaterThan(4);
    });
    expect(second.stored).toEqual([]);
    open();
    await eventually(() => expect(first.stored).toHaveLength(20));

    await one.relay.stop();
    await test.addNotes(one.outbox, 20, 30);
    await eventually(() => expect(second.stored).toHaveLength(10));
    expect(first.stored).toHaveLength(20);
  });

  it('is taken again after its connection was cut, and no event is lost', async () => {
    const buses = [new RecordingBus(), new RecordingBus()];
    const [one] = buses.map((bus) => test.relayTo(bus));
    for (const relay of test.relays) relay.start();
    const cut = (): Promise<unknown> =>
      test.database
        .query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'writer-relay'
        AND datname = current_database()`);
    for (let round = 0; round < 5; round++) {
      await test.addNotes(one?.outbox as Outbox, round * 300, (round + 1) * 300);
      await cut();
    }
    await eventually(async () => expect(await test.countPending()).toBe(0));
    const all = new RecordingBus();
    all.stored.push(...buses.flatMap(({ stored }) => stored));
    for (const book of [0, 1, 2])
      expect(all.firstSeen(`book-${book}`).sort((a, b) => a - b)).toEqual(numbersOfBook(book, 0, 1_500));
  });

  it('passes to another process within 15 s when the leading process hangs', async () => {
    // A process that hangs sends no statement, but its kernel keeps the connection alive.
    const hanging = new RelayLeadership(test.database.urlFor('writer'), 'hanging-relay', () => undefined);
    expect(await hanging.tryToLead()).toBe(true);
    const bus = new RecordingBus();
    const { relay, outbox } = test.relayTo(bus);
    relay.start();
    await test.addNotes(outbox, 0, 3);
    await eventually(() => expect(bus.stored).toHaveLength(3), { timeoutMs: 15_000 });
    // When the process resumes, it sees that its connection has ended, and treats that as the loss of its leadership.
    expect(hanging.isLeader).toBe(false);
    expect(await hanging.tryToLead()).toBe(false);
    await hanging.resign();
  });

  it('makes the leader export the number of pending events until the leader stops', async () => {
    const bus = new RecordingBus();
    bus.failAfter = () => 0;
    const { relay, outbox } = test.relayTo(bus);
    await test.addNotes(outbox, 0, 7);
    relay.start();
    await eventually(async () => expect(await register.metrics()).toMatch(/events_outbox_pending\{app="writer"\} 7/));
    await relay.stop();
    expect(await register.metrics()).not.toMatch(/events_outbox_(pending|oldest_seconds)\{app="writer"\}/);
  });

  it('keeps the exported number of pending events current, even if the clock of the host has stepped back', async () => {
    const bus = new RecordingBus();
    bus.failAfter = () => 0;
    const { relay, outbox } = test.relayTo(bus);
    await test.addNotes(outbox, 0, 7);
    relay.start();
    await eventually(async () => expect(await register.metrics()).toMatch(/events_outbox_pending\{app="writer"\} 7/));
    const [wall, elapsed] = [Date.now, performance.now.bind(performance)];
    jest.spyOn(Date, 'now').mockImplementation(() => wall() - 600_000);
    jest.spyOn(performance, 'now').mockImplementation(() => elapsed() + 5_000);
    await test.addNotes(outbox, 7, 10);
    await eventually(async () => expect(await register.metrics()).toMatch(/events_outbox_pending\{app="writer"\} 10/));
  });

  it('makes a process remove its gauges of the outbox when another process leads', async () => {
    test.relayTo(new RecordingBus()).relay.start();
    await eventually(async () => expect(await register.metrics()).toMatch(/events_outbox_pending\{app="writer"\}/));
    const taken = new Client({ connectionString: test.database.urlFor('writer') });
    await taken.connect();
    // This session queues for the lock before the leader can request it again.
    const lock = taken.query(
      `SELECT pg_advisory_lock(hashtextextended('tandem.outbox-relay.' || current_schema(), 0))`,
    );
    await test.database
      .query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'writer-relay'
      AND datname = current_database()`);
    await lock;
    await eventually(async () => expect(await register.metrics()).not.toMatch(/events_outbox_pending\{app="writer"\}/));
    await taken.end();
  });

  it('is not requested after every transaction while another process leads', async () => {
    const leading = test.relayTo(new RecordingBus());
    leading.relay.start();
    await test.addNotes(leading.outbox, 0, 3);
    await eventually(async () => expect(await test.countPending()).toBe(0));
    const [leader] = await test.relaySessions();
    const standby = test.relayTo(new RecordingBus(), { relayStandbyMs: 60_000 });
    standby.relay.start();
    const asked = async (): Promise<number | undefined> =>
      (await test.relaySessions())
        .find(({ pid, query }) => pid !== leader?.pid && query.includes('advisory'))
        ?.at.getTime();
    const first = await eventually(async () => {
      const at = await asked();
      expect(at).toBeDefined();
      return at;
    });
    for (let from = 3; from < 30; from += 3) await test.addNotes(standby.outbox, from, from + 3);
    await eventually(async () => expect(await test.countPending()).toBe(0));
    // The standby notifies the leader instead of requesting the lock again. So the last statement of its session is a
    // notification (`asked` returns undefined) or still its first request (`asked` returns `first`).
    expect([undefined, first]).toContain(await asked());
  });

  it('makes the leader publish events of another process of the app immediately', async () => {
    const leading = test.relayTo(new RecordingBus(), { relayIdleMs: 60_000 });
    leading.relay.start();
    await test.addNotes(leading.outbox, 0, 3);
    await eventually(async () => expect(await test.countPending()).toBe(0));
    const [leader] = await test.relaySessions();
    const standby = test.relayTo(new RecordingBus());
    standby.relay.start();
    // The standby can notify the leader only after it has tried to lead: an open connection alone is not enough.
    await eventually(async () => {
      const others = (await test.relaySessions()).filter(({ pid }) => pid !== leader?.pid);
      expect(others).toMatchObject([{ query: expect.stringContaining('advisory') }]);
    });
    // Events are added several times, because a poll that happened to be due might have found the first events.
    for (let from = 3; from < 12; from += 3) {
      await test.addNotes(standby.outbox, from, from + 3);
      await eventually(async () => expect(await test.countPending()).toBe(0), { timeoutMs: 5_000 });
    }
  });
});
