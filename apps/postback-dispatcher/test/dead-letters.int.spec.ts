import { deadLettersPath } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { Dispatcher } from './dispatcher';

describe('GET /internal/dead-letters', () => {
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
  });
  afterAll(() => dispatcher?.stop());

  const list = (key: string) => dispatcher.request('GET', `${deadLettersPath()}?${new URLSearchParams({ key })}`);
  const add = async (
    key: string,
    reason: string,
    replayedAt: string | null = null,
    topic = 'sale.completed',
  ): Promise<void> => {
    await dispatcher.database.query(
      `insert into postback.dead_letter
         (consumer, event_id, topic, "partition", "offset", key, headers, payload, reason, attempts, replayed_at)
       values ('postback-dispatcher', gen_random_uuid(), $4, 0, '1', $1, '{}', '', $2, 1, $3)`,
      [key, reason, replayedAt, topic],
    );
  };

  it('lists the newest ten dead letters of each topic that have the given key and were not replayed', async () => {
    const oid = uniqueId('sub');
    await add(oid, 'replayed since', '2026-01-05T09:30:00Z');
    await add(uniqueId('sub'), 'of another sale');
    await add(oid, 'of another topic', null, 'sale.revoked');
    for (let number = 1; number <= 11; number++) await add(oid, `reason ${number}`);
    const { status, body } = await list(oid);
    expect(status).toBe(200);
    const items = body['items'] as { reason: string }[];
    expect(items.map(({ reason }) => reason)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => `reason ${11 - index}`),
      'of another topic',
    ]);
    expect(items[0]).toEqual({
      app: 'postback-dispatcher',
      id: expect.stringMatching(/^\d+$/),
      topic: 'sale.completed',
      reason: 'reason 11',
      failedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it('requires the query parameter `key`', async () => {
    expect((await dispatcher.request('GET', deadLettersPath())).status).toBe(422);
  });
});
