import { describeOnBus, describeOnEachBus, eventually } from '@tandem/testing';
import { Client } from 'pg';
import { register } from 'prom-client';
import { PermanentEventError } from '../src';
import { BusTest, take } from './fixture/bus';
import { note } from './fixture/note';
import { startOwnServers } from './fixture/servers';

jest.setTimeout(150_000);

const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, replayPollMs: 50, measureEveryMs: 50 };

/** Returns the value of one series on /metrics; undefined when it is absent. */
async function valueOf(series: string): Promise<number | undefined> {
  const line = (await register.metrics()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

describeOnEachBus((bus) => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin(bus);
  });
  afterEach(() => test.end());

  const seriesOf = (metric: string): string => `${metric}{app="reader",topic="${test.topic.event.topic}"}`;

  it('exports the number of events that the consumer group has not handled, and 0 when the group has handled all', async () => {
    const lag = seriesOf('events_consumer_lag');
    const writer = await test.writer();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    await test.reader({ tuning: QUICK, handle: () => gate });
    await eventually(async () => expect(await valueOf(lag)).toBe(0));

    await take(
      writer,
      test.topic,
      Array.from({ length: 20 }, (_, number) => note(`book-${number}`, 1)),
    );
    await eventually(async () => expect(await valueOf(lag)).toBe(20));

    open();
    await eventually(async () => expect(await valueOf(lag)).toBe(0));
  });

  it('counts dead letters until they are replayed', async () => {
    const letters = seriesOf('events_dead_letters');
    const writer = await test.writer();
    let burnt = true;
    const reader = await test.reader({
      tuning: QUICK,
      handle: () => {
        if (burnt) throw new PermanentEventError('the book is burnt');
      },
    });
    await eventually(async () => expect(await valueOf(letters)).toBe(0));
    await take(writer, test.topic, [note('a', 1), note('b', 1)]);
    await eventually(async () => expect(await valueOf(letters)).toBe(2));

    burnt = false;
    await reader.deadLetters.requestReplay({ topic: test.topic.event.topic });
    await eventually(async () => expect(await valueOf(letters)).toBe(0));
  });

  it('exports the measures only from the process that leads the relay, and none after that process has stopped', async () => {
    const lag = seriesOf('events_consumer_lag');
    const leader = await test.reader({ tuning: QUICK });
    await eventually(async () => expect(await valueOf(lag)).toBe(0));
    await leader.close();
    expect(await valueOf(lag)).toBeUndefined();
    const lock = new Client({ connectionString: test.database.urlFor('reader') });
    await lock.connect();
    await lock.query(`SELECT pg_advisory_lock(hashtextextended('tandem.outbox-relay.' || current_schema(), 0))`);
    const writer = await test.writer();
    await test.reader({ tuning: QUICK });

    await take(writer, test.topic, [note('a', 1)]);
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    expect(await valueOf(lag)).toBeUndefined();
    expect(await valueOf(seriesOf('events_dead_letters'))).toBeUndefined();

    await lock.end();
    await eventually(async () => expect(await valueOf(lag)).toBe(0));
  });
});

describe('the measures of the database', () => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin('postgres');
  });
  afterEach(() => test.end());

  it('export how long a statement of the app has been waiting for a lock', async () => {
    const waits = 'database_lock_wait_seconds{app="reader"}';
    await test.reader({ tuning: QUICK });
    await eventually(async () => expect(await valueOf(waits)).toBe(0));
    const [holder, waiter] = [1, 2].map(() => new Client({ connectionString: test.database.urlFor('reader') }));
    await Promise.all([holder?.connect(), waiter?.connect()]);
    await holder?.query('BEGIN; LOCK TABLE effect');
    const sentAt = performance.now();
    const waiting = waiter?.query('SELECT pg_sleep(1); SELECT FROM effect');

    // The 1 s of `pg_sleep` does not count, because the wait for the lock begins after it.
    await eventually(async () => expect(await valueOf(waits)).toBeGreaterThan(0.1));
    const waited = await valueOf(waits);
    expect(waited).toBeLessThan((performance.now() - sentAt) / 1000 - 0.5);
    await holder?.query('COMMIT');
    await waiting;
    await eventually(async () => expect(await valueOf(waits)).toBe(0));
    await Promise.all([holder?.end(), waiter?.end()]);
  });
});

describeOnBus('kafka', () => {
  it('exports dead letters but no lag while the broker is down, and exports the lag again when the broker is up', async () => {
    const servers = await startOwnServers('kafka');
    const { test } = servers;
    const [lag, letters] = ['events_consumer_lag', 'events_dead_letters'].map(
      (metric) => `${metric}{app="reader",topic="${test.topic.event.topic}"}`,
    ) as [string, string];
    try {
      await test.reader({ tuning: QUICK });
      await eventually(async () => expect(await valueOf(lag)).toBe(0));

      await servers.bus.kill();
      await eventually(async () => expect(await valueOf(lag)).toBeUndefined(), { timeoutMs: 40_000 });
      expect(await valueOf(letters)).toBe(0);

      await servers.bus.start();
      await eventually(async () => expect(await valueOf(lag)).toBe(0), { timeoutMs: 40_000 });
    } finally {
      await servers.end();
    }
  });
});
