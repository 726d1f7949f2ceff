import { Logger } from '@nestjs/common';
import { eventually, type FaultyServer, startPostgresServer } from '@tandem/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutboxTest } from './fixture/outbox';
import { RecordingBus } from './fixture/recording-bus';
import { createOwnDatabase } from './fixture/servers';

jest.setTimeout(30_000);

describe('a relay that cannot remove published rows', () => {
  // Tests change settings of the server.
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

  /** Starts a relay, and waits until it leads and polls an empty outbox. @returns the process id of its session */
  async function lead(): Promise<number> {
    const { relay, outbox } = test.relayTo(bus, { relayIdleMs: 20 });
    relay.start();
    await test.addNotes(outbox, 0, 1);
    await eventually(async () => expect(await test.countPending()).toBe(0));
    bus.stored.length = 0;
    const [session] = await test.relaySessions();
    return session?.pid ?? NaN;
  }

  /** Makes all sessions of the server, old and new ones, read-only or not, as a full disk and a fail-over do. */
  async function setReadOnly(on: boolean): Promise<void> {
    await test.database.query(`ALTER SYSTEM SET default_transaction_read_only = ${on ? 'on' : 'off'}`);
    await test.database.query('SELECT pg_reload_conf()');
    await eventually(async () =>
      expect(await test.database.query('SHOW default_transaction_read_only')).toEqual([
        { default_transaction_read_only: on ? 'on' : 'off' },
      ]),
    );
  }

  /** Adds three notes as the superuser, whose transaction writes although the server makes sessions read-only. */
  async function addThree(): Promise<void> {
    await test.database.query(
      `BEGIN READ WRITE;
       INSERT INTO writer.outbox (event_id, topic, key, key_hash, payload, headers)
         SELECT gen_random_uuid(), '${test.topic.event.topic}', 'book', 1,
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

  it('reconnects when the server accepts only reads, even if the outbox is empty there', async () => {
    const pid = await lead();
    await setReadOnly(true);
    await eventually(async () => expect((await test.relaySessions()).map((session) => session.pid)).not.toContain(pid));
  });

  it('publishes events at most 10 times in 3 s when every removal fails, and logs one outage', async () => {
    await lead();
    await test.database.query(`
      CREATE FUNCTION writer.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk is full' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON writer.outbox FOR EACH ROW EXECUTE FUNCTION writer.refuse()`);
    const [warn, log] = [jest.spyOn(Logger.prototype, 'warn'), jest.spyOn(Logger.prototype, 'log')];
    await addThree();
    await sleep(3_000);
    expect(times(1)).toBeGreaterThan(0);
    expect(times(1)).toBeLessThanOrEqual(10);
    expect(warn.mock.calls).toEqual([
      [{ msg: 'the relay cannot read the outbox', reason: 'published rows cannot be removed: the disk is full' }],
    ]);
    expect(log).not.toHaveBeenCalled();
    await test.database.query('DROP TRIGGER refuse ON writer.outbox');
    await eventually(async () => expect(await test.countPending()).toBe(0));
    await eventually(() =>
      expect(log.mock.calls).toEqual([[{ msg: 'the relay reads the outbox again', outageMs: expect.any(Number) }]]),
    );
  });
});
