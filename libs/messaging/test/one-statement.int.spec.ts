import { Controller, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { describeOnEachBus, eventually } from '@tandem/testing';
import { claimExpression, EventBatch, EventHandler, type ReceivedEvent } from '../src';
import { BusTest, expectEachBookInOrder } from './fixture/bus';
import { asEvents, note, type NoteTaken } from './fixture/note';

jest.setTimeout(120_000);

const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, handlerAttempts: 2 };

/** Claims the notes and records the new ones, in one statement. */
const RECORD = `
  WITH given AS (SELECT * FROM json_to_recordset($1::json) AS g (id uuid, book text, number integer, n integer)),
  claimed AS (${claimExpression('$2', '(SELECT id FROM given WHERE $2::text IS NOT NULL) AS received')}),
  recorded AS (INSERT INTO effect (event_id, book, number, handled_by)
    SELECT id, book, number, 'reader' FROM given
    WHERE $2::text IS NULL OR id IN (SELECT event_id FROM claimed) ORDER BY n RETURNING event_id)
  SELECT (SELECT count(*)::integer FROM recorded) AS count`;

describeOnEachBus((bus) => {
  let test: BusTest;
  /** Whether notes of the book `poison` fail. */
  let failing = false;
  const claimedBy: (string | null)[] = [];
  beforeEach(async () => {
    test = await BusTest.begin(bus);
    failing = false;
    claimedBy.splice(0);
  });
  afterEach(() => test.end());

  const consumer = (): Type<unknown> => {
    @Controller()
    class OneStatementConsumer {
      @EventHandler(test.topic.event, { oneStatement: true })
      async handle(@Payload() notes: ReceivedEvent<NoteTaken>[], @Ctx() batch: EventBatch): Promise<void> {
        claimedBy.push(batch.claimedBy);
        if (failing && notes.some(({ data }) => data.book === 'poison')) throw new Error('poison');
        const rows = notes.map(({ id, data }, n) => ({ id, n, ...data }));
        const [row] = await batch.manager.query<[{ count: number }]>(RECORD, [JSON.stringify(rows), batch.claimedBy]);
        batch.claimed(row.count);
      }
    }
    return OneStatementConsumer;
  };
  const publish = async (notes: readonly NoteTaken[]): Promise<void> => {
    const writer = await test.writer();
    await writer.outbox.transaction((manager) => writer.outbox.addMany(manager, test.topic.event, asEvents(notes)));
  };
  const handled = (): Promise<number> => test.count('reader.effect');

  it('handles each event once, in order per key, when the handler’s own statement claims it', async () => {
    await test.reader({ handle: undefined, controllers: [consumer()] });
    await publish(Array.from({ length: 300 }, (_, index) => note(`book-${index % 7}`, index)));
    await eventually(async () => expect(await handled()).toBe(300), { timeoutMs: 60_000 });
    expectEachBookInOrder(await test.effects());
    expect(await test.count('reader.inbox')).toBe(300);
  });

  it('makes a dead letter of an event that fails, and claims the event in a separate statement when it is replayed', async () => {
    failing = true;
    const reader = await test.reader({ handle: undefined, controllers: [consumer()], tuning: QUICK });
    await publish([note('book', 1), note('poison', 2), note('book', 3)]);
    await eventually(async () => expect((await reader.deadLetters.list()).items).toHaveLength(1), {
      timeoutMs: 60_000,
    });
    await eventually(async () => expect(await handled()).toBe(2), { timeoutMs: 60_000 });
    expect(new Set(claimedBy)).toEqual(new Set([test.group]));
    failing = false;
    await reader.deadLetters.requestReplay({ topic: test.topic.event.topic });
    await eventually(async () => expect(await handled()).toBe(3), { timeoutMs: 60_000 });
    expect(claimedBy.at(-1)).toBeNull();
    expect(await test.count('reader.inbox')).toBe(3);
  });
});
