import { eventually } from '@tandem/testing';
import { eventOfRow, EventTooLargeError, InvalidEventDataError } from '../src';
import { note } from './fixture/note';
import { OutboxTest } from './fixture/outbox';
import { RecordingBus } from './fixture/recording-bus';

jest.setTimeout(30_000);

describe('adding to the outbox', () => {
  let test: OutboxTest;
  beforeEach(async () => {
    test = await OutboxTest.begin();
  });
  afterEach(() => test.end());

  it('stores no event of a transaction that is rolled back', async () => {
    const { outbox } = test.relayTo(new RecordingBus());
    const failing = outbox.transaction(async (manager) => {
      await outbox.add(manager, test.topic.event, note('a', 1));
      throw new Error('the business rule says no');
    });
    await expect(failing).rejects.toThrow('the business rule says no');
    expect(await test.countPending()).toBe(0);
  });

  it('sends added events without waiting for a poll, even events of a topic that no app consumes', async () => {
    const bus = new RecordingBus();
    const { relay, outbox } = test.relayTo(bus, { relayIdleMs: 60_000 });
    const unconsumed = { ...test.topic.event, topic: 'consumed-by-no-app' };
    relay.start();
    await test.addNotes(outbox, 0, 1);
    await eventually(() => expect(bus.stored).toHaveLength(1));
    await test.addNotes(outbox, 1, 2);
    await eventually(() => expect(bus.stored).toHaveLength(2));
    await test.addNotes(outbox, 2, 3, unconsumed);
    await eventually(() => expect(bus.stored).toHaveLength(3));
  });

  describe('in the statement that inserts the app’s own rows', () => {
    const insert = (ids: string[]) => ({
      name: 'books-insert',
      text: 'INSERT INTO book SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING id',
      values: [ids],
    });
    const events = (ids: string[]) =>
      ids.map((rowId, number) => eventOfRow(rowId, test.topic.event, { data: note(rowId, number) }));
    const books = async () => (await test.database.query('SELECT id FROM writer.book ORDER BY id')).map(({ id }) => id);
    beforeEach(async () => {
      await test.database.query(`CREATE TABLE writer.book (id text PRIMARY KEY CHECK (id <> 'bad'))`);
      await test.database.query('GRANT ALL ON writer.book TO writer');
    });

    it('publishes the events of new rows, in order', async () => {
      const bus = new RecordingBus();
      const { relay, outbox } = test.relayTo(bus);
      expect([...(await outbox.insertWithEvents(insert(['b']), events(['b'])))]).toEqual(['b']);
      const inserted = await outbox.insertWithEvents(insert(['c', 'b', 'a']), [
        ...events(['c', 'b']),
        ...events(['c']),
      ]);
      expect([...inserted].sort()).toEqual(['a', 'c']);
      expect(await books()).toEqual(['a', 'b', 'c']);
      relay.start();
      await eventually(() => expect(bus.stored.map(({ key }) => key)).toEqual(['b', 'c', 'c']));
    });

    it('stores nothing when one row or one event is rejected', async () => {
      const { outbox } = test.relayTo(new RecordingBus());
      await expect(outbox.insertWithEvents(insert(['good', 'bad']), events(['good', 'bad']))).rejects.toThrow(
        'book_id_check',
      );
      await expect(
        outbox.insertWithEvents(insert(['good']), [eventOfRow('good', test.topic.event, { data: note('', 1) })]),
      ).rejects.toThrow(InvalidEventDataError);
      expect([await books(), await test.countPending()]).toEqual([[], 0]);
    });

    it('stores nothing when its transaction is rolled back, and wakes the relay after a commit', async () => {
      const bus = new RecordingBus();
      const { relay, outbox } = test.relayTo(bus, { relayIdleMs: 60_000 });
      relay.start();
      await test.addNotes(outbox, 0, 1);
      await eventually(() => expect(bus.stored).toHaveLength(1));
      const failing = outbox.transaction(async (manager) => {
        await outbox.insertWithEvents(insert(['a']), events(['a']), manager);
        throw new Error('the business rule says no');
      });
      await expect(failing).rejects.toThrow('the business rule says no');
      expect([await books(), await test.countPending()]).toEqual([[], 0]);
      await outbox.transaction((manager) => outbox.insertWithEvents(insert(['a']), events(['a']), manager));
      await eventually(() => expect(bus.stored).toHaveLength(2));
      expect(await books()).toEqual(['a']);
    });

    it('wakes the relay, which then sends the events immediately', async () => {
      const bus = new RecordingBus();
      const { relay, outbox } = test.relayTo(bus, { relayIdleMs: 60_000 });
      relay.start();
      await test.addNotes(outbox, 0, 1);
      await eventually(() => expect(bus.stored).toHaveLength(1));
      await outbox.insertWithEvents(insert(['a']), events(['a']));
      await eventually(() => expect(bus.stored).toHaveLength(2));
    });
  });

  it('rejects data that the event’s class rejects, and names the fields but no value', async () => {
    const { outbox } = test.relayTo(new RecordingBus());
    const wrong = { ...note('', 1), number: 'a secret' as unknown as number };
    const adding = outbox.add(test.source.manager, test.topic.event, wrong);
    await expect(adding).rejects.toThrow(InvalidEventDataError);
    await expect(adding).rejects.toThrow(/book \(minLength\); number \(type\)/);
    await expect(adding).rejects.not.toThrow(/a secret/);
  });

  it('rejects an event of more than 900,000 bytes, an id that is not a UUID and a fractional version', async () => {
    const { outbox } = test.relayTo(new RecordingBus());
    const { manager } = test.source;
    await expect(outbox.add(manager, test.topic.event, note('a', 1, 'x'.repeat(900_000)))).rejects.toThrow(
      EventTooLargeError,
    );
    await expect(outbox.add(manager, test.topic.event, note('a', 1), { id: '17' })).rejects.toThrow('must be a UUID');
    await expect(outbox.add(manager, test.topic.event, note('a', 1), { version: 1.5 })).rejects.toThrow('whole number');
    expect(await test.countPending()).toBe(0);
  });

  it('stores the CloudEvents attributes with the data', async () => {
    const { outbox } = test.relayTo(new RecordingBus());
    await outbox.transaction((manager) => outbox.add(manager, test.topic.event, note('a', 1), { version: 3 }));
    const [row] = await test.database.query('SELECT event_id, key, headers, payload FROM writer.outbox');
    expect(row).toMatchObject({ key: 'a', payload: Buffer.from('{"book":"a","number":1}') });
    expect(row?.['headers']).toEqual({
      ce_specversion: '1.0',
      ce_id: row?.['event_id'],
      ce_type: test.topic.event.topic,
      ce_source: '/tandem/writer',
      ce_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ce_subject: 'a',
      ce_sequence: '3',
      'content-type': 'application/json',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    });
  });
});
