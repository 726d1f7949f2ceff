import { Logger } from '@nestjs/common';
import { eventually, type FaultyServer, startPostgresServer } from '@tandem/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outbox } from '../src';
import type { OutboxRelay } from '../src/outbox/outbox-relay';
import { noteTopic } from './fixture/note';
import { OutboxTest } from './fixture/outbox';
import { RecordingBus } from './fixture/recording-bus';
import { createOwnDatabase } from './fixture/servers';

jest.setTimeout(30_000);

describe('a relay that cannot remove published rows', () => {
  // These tests change settings of their server, so they do not use the server that all tests share.
  let server: FaultyServer & { readonly url: string };
  let test: OutboxTest;
  let bus: RecordingBus;
  beforeEach(async () => {
    server = await startPostgresServer();
    test = await OutboxTest.begin(await createOwnDatabase(server));
    bus = new RecordingBus();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await setReadOnly(false);
    await test.end();
    await server.stop();
  });

  /** Starts a relay, and waits until it leads and polls an empty outbox. `pid` is the process id of its session. */
  async function lead(relayIdleMs = 20): Promise<{ pid: number; outbox: Outbox; relay: OutboxRelay }> {
    const { relay, outbox } = test.relayTo(bus, { relayIdleMs });
    relay.start();
    await test.addNotes(outbox, 0, 1);
    await eventually(async () => expect(await test.countPending()).toBe(0));
    bus.stored.length = 0;
    const [session] = await test.relaySessions();
    return { pid: session?.pid ?? NaN, outbox, relay };
  }

  /** Makes Postgres run a PL/pgSQL statement before it removes a row of the test's topic. */
  async function beforeRemoval(statement: string): Promise<void> {
    await test.database.query(`
      CREATE SEQUENCE writer.removals;
      CREATE FUNCTION writer.before_removal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        AS $$ BEGIN ${statement}; RETURN OLD; END $$;
      CREATE TRIGGER before_removal BEFORE DELETE ON writer.outbox FOR EACH ROW
        WHEN (OLD.topic = '${test.topic.event.topic}') EXECUTE FUNCTION writer.before_removal()`);
  }

  /** Makes all existing and new sessions of the server read-only, as a fail-over does, or makes them writable again. */
  async function setReadOnly(on: boolean): Promise<void> {
    await test.database.query(`ALTER SYSTEM SET default_transaction_read_only = ${on ? 'on' : 'off'}`);
    await test.database.query('SELECT pg_reload_conf()');
    await eventually(async () =>
      expect(await test.database.query('SHOW default_transaction_read_only')).toEqual([
        { default_transaction_read_only: on ? 'on' : 'off' },
      ]),
    );
  }

  /** Adds three notes as the superuser, in a transaction that can write even while sessions are read-only by default. */
  async function addThree({ topic } = test.topic.event): Promise<void> {
    await test.database.query(
      `BEGIN READ WRITE;
       INSERT INTO writer.outbox (event_id, topic, key, key_hash, payload, headers)
         SELECT gen_random_uuid(), '${topic}', 'book', 1,
                convert_to(json_build_object('book', 'book', 'number', i)::text, 'utf8'), '{}' FROM generate_series(1, 3) AS i;
       COMMIT`,
    );
  }

  const times = (number: number): number => bus.stored.filter((note) => note.number === number).length;

  it('does not publish events again and again while the server accepts only reads', async () => {
    await lead();
    await setReadOnly(true);
    await addThree();
    await sleep(1_500);
    expect(bus.stored.length).toBeLessThanOrEqual(3);
    expect(await test.countPending()).toBe(3);
    await setReadOnly(false);
    await eventually(async () => expect(await test.countPending()).toBe(0));
    for (const number of [1, 2, 3]) expect([1, 2]).toContain(times(number));
  });

  it('reconnects when the server accepts only reads, even if the outbox is empty', async () => {
    const { pid } = await lead();
    await setReadOnly(true);
    await eventually(async () => expect((await test.relaySessions()).map((session) => session.pid)).not.toContain(pid));
  });

  it('publishes events once while their rows cannot be removed, sends other topics meanwhile, and logs one outage', async () => {
    const { outbox } = await lead();
    const { event: other } = noteTopic();
    await beforeRemoval(`RAISE 'the disk is full' USING ERRCODE = '53100'`);
    const [warn, log] = [jest.spyOn(Logger.prototype, 'warn'), jest.spyOn(Logger.prototype, 'log')];
    await addThree();
    for (let number = 0; number < 30; number++) {
      await test.addNotes(outbox, number, number + 1, other);
      await sleep(100);
    }
    await eventually(async () => expect(await test.countPending()).toBe(3));
    const { topic } = test.topic.event;
    expect(bus.stored.filter((note) => note.topic === topic)).toHaveLength(3);
    const others = bus.stored.filter((note) => note.topic === other.topic).map(({ number }) => number);
    expect(others).toEqual(Array.from({ length: 30 }, (_, number) => number));
    expect(warn.mock.calls).toEqual([
      [
        {
          msg: `published events of ${topic} cannot be removed from the outbox`,
          reason: 'the disk is full',
        },
      ],
    ]);
    expect(log).not.toHaveBeenCalled();
    await test.database.query('DROP TRIGGER before_removal ON writer.outbox');
    await eventually(async () => expect(await test.countPending()).toBe(0));
    await eventually(() =>
      expect(log.mock.calls).toEqual([
        [{ msg: `published events of ${topic} are removed from the outbox again`, outageMs: expect.any(Number) }],
      ]),
    );
  });

  it('stops sending and lets another process lead after it could not remove the rows of a topic for 10 s', async () => {
    const { pid, relay } = await lead(60_000);
    const { event: other } = noteTopic();
    const otherBus = new RecordingBus();
    test.relayTo(otherBus, { relayIdleMs: 20 }).relay.start();
    // Only this session cannot remove rows, as if one of its prepared statements were broken.
    await beforeRemoval(`IF pg_backend_pid() = ${pid} THEN RAISE 'this session cannot remove rows'; END IF`);
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const began = performance.now();
    await addThree();
    relay.wake();
    await eventually(() => expect(bus.stored).toHaveLength(3));
    // The relay is not woken for these rows, so it could find them only at the end of the 10 s. It must not send them.
    await addThree(other);
    await eventually(async () => expect(await test.countPending()).toBe(0), { timeoutMs: 20_000 });
    expect(performance.now() - began).toBeGreaterThan(9_000);
    expect(relay.leads).toBe(false);
    const { topic } = test.topic.event;
    const sent = (to: RecordingBus, of: string): number[] =>
      to.stored.filter((note) => note.topic === of).map(({ number }) => number);
    expect([sent(bus, topic), sent(otherBus, topic)]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect([sent(bus, other.topic), sent(otherBus, other.topic)]).toEqual([[], [1, 2, 3]]);
    expect(warn.mock.calls.map(([line]) => (line as { msg: string }).msg)).toEqual([
      `published events of ${topic} cannot be removed from the outbox`,
      'the relay cannot remove published events, so it lets another process of the app lead',
    ]);
  });

  it('lets another process lead although a send of another topic hangs', async () => {
    const { pid, outbox } = await lead();
    test.relayTo(new RecordingBus(), { relayIdleMs: 20 }).relay.start();
    await beforeRemoval(`IF pg_backend_pid() = ${pid} THEN RAISE 'this session cannot remove rows'; END IF`);
    const { event: hanging } = noteTopic();
    let release = (): void => undefined;
    bus.gates.set(hanging.topic, new Promise((resolve) => (release = resolve)));
    await addThree();
    await test.addNotes(outbox, 0, 1, hanging);
    try {
      await eventually(async () => expect(await test.countPending()).toBe(0), { timeoutMs: 18_000 });
    } finally {
      release();
    }
  });

  it('waits for a current send, and removes its row, when it is stopped while it is resigning', async () => {
    const { pid, outbox, relay } = await lead();
    await beforeRemoval(`IF pg_backend_pid() = ${pid} THEN RAISE 'this session cannot remove rows'; END IF`);
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const { event: slow } = noteTopic();
    let release = (): void => undefined;
    bus.gates.set(slow.topic, new Promise((resolve) => (release = resolve)));
    await addThree();
    await test.addNotes(outbox, 0, 1, slow);
    await eventually(() => expect(JSON.stringify(warn.mock.calls)).toContain('lets another process'), {
      timeoutMs: 18_000,
    });
    const stopped = relay.stop();
    // When a relay resigns, it waits up to 2 s for its sends; this pause is longer. If the relay resigned before the send
    // ended, the row would be published again.
    await sleep(2_500);
    release();
    await stopped;
    expect(await test.countPending()).toBe(3);
    expect(bus.stored.filter((note) => note.topic === slow.topic)).toHaveLength(1);
  });

  it('does not report a removal that failed because its connection was cut', async () => {
    await lead();
    await beforeRemoval(
      `IF nextval('writer.removals') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF`,
    );
    const warn = jest.spyOn(Logger.prototype, 'warn');
    await addThree();
    await eventually(async () => expect(await test.countPending()).toBe(0));
    expect(times(1)).toBe(2);
    const lines = warn.mock.calls.map(([line]) => (line as { msg: string }).msg);
    expect(lines.filter((line) => line.includes('removed'))).toEqual([]);
  });

  it('forgets the backoff of a topic when the connection to Postgres is cut after several failed removals', async () => {
    await lead();
    await beforeRemoval(`
      CASE nextval('writer.removals')
        WHEN 6 THEN PERFORM pg_terminate_backend(pg_backend_pid());
        WHEN 7, 8, 9 THEN NULL;
        ELSE RAISE 'the disk is full';
      END CASE`);
    await addThree();
    const removals = async (): Promise<unknown> =>
      (await test.database.query<{ last: number }>('SELECT last_value::integer AS last FROM writer.removals'))[0]?.last;
    await eventually(async () => expect(await removals()).toBeGreaterThanOrEqual(6), { timeoutMs: 10_000 });
    const cutAt = performance.now();
    await eventually(async () => expect(await test.countPending()).toBe(0));
    expect(performance.now() - cutAt).toBeLessThan(1_000);
    expect(times(1)).toBe(2);
  });
});
