import { eventually, shiftClock } from '@tandem/testing';
import { EventsLifecycle } from '../src/events-lifecycle';
import { BusTest, take } from './fixture/bus';
import { note } from './fixture/note';

describe('cleaning up', () => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin('postgres');
  });
  afterEach(async () => {
    jest.useRealTimers();
    await test.end();
  });

  it('removes inbox rows and events only when they are past their retention', async () => {
    const writer = await test.writer();
    const reader = await test.reader();
    await take(writer, test.topic, [note('a', 1), note('b', 2)]);
    await eventually(async () => expect(await test.count('reader.inbox')).toBe(2));
    await test.database.query(`UPDATE reader.inbox SET handled_at = now() - interval '31 days' WHERE event_id =
      (SELECT event_id FROM reader.effect WHERE number = 1)`);
    await test.database.query(`UPDATE bus.event_log SET appended_at = now() - interval '8 days' WHERE key = 'a'`);
    // The bus keeps an event until a heartbeat has recorded that the group has read the event.
    await eventually(async () => {
      await reader.nest.get(EventsLifecycle).clean();
      expect(await test.database.query('SELECT key FROM bus.event_log')).toEqual([{ key: 'b' }]);
    });
    expect(await test.count('reader.inbox')).toBe(1);
  });

  it('keeps rows until their retention has passed by the database’s clock, even if the clock of the process is ahead', async () => {
    const reader = await test.reader();
    await test.database.query(
      `INSERT INTO reader.inbox SELECT 'reader', gen_random_uuid(), now() - age * interval '1 day' FROM unnest(ARRAY[29, 31]) age`,
    );
    shiftClock(100 * 86_400_000);
    await reader.nest.get(EventsLifecycle).clean();
    expect(await test.count('reader.inbox')).toBe(1);
  });

  it('runs soon after the start, and again after each interval', async () => {
    await test.reader({ tuning: { cleanEveryMs: 100 } });
    for (let round = 0; round < 2; round++) {
      await test.database.query(
        `INSERT INTO reader.inbox VALUES ('reader', gen_random_uuid(), now() - interval '31 days')`,
      );
      await eventually(async () => expect(await test.count('reader.inbox')).toBe(0));
    }
  });
});
