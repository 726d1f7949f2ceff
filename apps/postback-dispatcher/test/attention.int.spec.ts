import { attentionPath, DispatcherAttention } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Dispatcher } from './dispatcher';

describe('GET /internal/attention', () => {
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
  });
  afterAll(() => dispatcher?.stop());

  const read = async () => {
    const { status, body } = await dispatcher.request('GET', attentionPath());
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as unknown as DispatcherAttention;
  };
  const disable = (partnerId: string, environment = 'live') =>
    dispatcher.database.query(
      `insert into postback.endpoint
         (id, partner_id, environment, url, auth_method, key_encrypted, signing_secret_encrypted, status, disabled_reason,
          failing_since, updated_at)
       values (gen_random_uuid(), $1, $2, 'https://x.example.com', 'Bearer', '', '', 'disabled', 'endpoint gone',
               clock_timestamp(), '2026-01-01')`,
      [partnerId, environment],
    );
  const pause = (
    partnerId: string,
    failingFor: string,
    { environment = 'live', level = 3, pausedAgo = '1 minute' } = {},
  ) =>
    dispatcher.database.query(
      `insert into postback.endpoint
         (id, partner_id, environment, url, auth_method, key_encrypted, signing_secret_encrypted, breaker_level, failing_since,
          blocked_until)
       values (gen_random_uuid(), $1, $2, 'https://x.example.com', 'Bearer', '', '', $3, now() - $4::interval, now() - $5::interval)`,
      [partnerId, environment, level, failingFor, pausedAgo],
    );
  const hold = (partnerId: string, count: number, environment = 'live') =>
    unsent('held', partnerId, count, null, environment);
  const fail = (partnerId: string, count: number, closedBy: string | null = null, environment = 'live') =>
    unsent('failed', partnerId, count, closedBy, environment);
  const unsent = (status: string, partnerId: string, count: number, closedBy: string | null, environment: string) =>
    dispatcher.database.query(
      `insert into postback.delivery (id, partner_id, environment, oid, event_id, body, status, failure_reason, closed_by)
       select gen_random_uuid(), $1, $4, $1 || n, $1 || n, '{}', $5, 'attempts exhausted', $3 from generate_series(1, $2::int) n`,
      [partnerId, count, closedBy, environment, status],
    );

  it('is empty when nothing needs attention', async () => {
    const nothing = { count: 0, items: [] };
    expect(await read()).toEqual({
      disabledEndpoints: nothing,
      pausedEndpoints: nothing,
      failedPostbacks: nothing,
      heldPostbacks: nothing,
      deadLetters: nothing,
    });
  });

  it('counts disabled and paused endpoints, and failed and held postbacks, of the live environment, and shows five of each', async () => {
    const partners = Array.from({ length: 6 }, () => uniqueId('partner'));
    for (const [index, partnerId] of partners.entries()) {
      await disable(partnerId);
      await fail(partnerId, index + 1);
    }
    const paused = Array.from({ length: 6 }, () => uniqueId('partner'));
    for (const [index, partnerId] of paused.entries()) {
      await pause(partnerId, `${20 + index} minutes`);
      await hold(partnerId, index + 1);
    }
    await pause(uniqueId('partner'), '4 minutes');
    await pause(uniqueId('partner'), '1 hour', { environment: 'test' });
    await pause(uniqueId('partner'), '1 hour', { level: 0 });
    await pause(uniqueId('partner'), '9 days', { pausedAgo: '3 days' });
    await hold(uniqueId('partner'), 9, 'test');
    await disable(uniqueId('partner'), 'test');
    await fail(uniqueId('partner'), 9, null, 'test');
    await fail(uniqueId('partner'), 9, 'refunded');
    // At most the 1,000 newest failures of live endpoints are read. These 1,100 newer failures of a test endpoint must not displace them.
    await fail(uniqueId('partner'), 1_100, null, 'test');
    const attention = await read();
    expect(attention.disabledEndpoints.count).toBe(6);
    expect(attention.disabledEndpoints.items).toEqual(
      partners
        .slice(1)
        .reverse()
        .map((partnerId) => ({ partnerId, environment: 'live', reason: 'endpoint gone' })),
    );
    expect(attention.failedPostbacks.count).toBe(21);
    expect(attention.failedPostbacks.items).toEqual(
      [6, 5, 4, 3, 2].map((count) => ({ partnerId: partners[count - 1], environment: 'live', count })),
    );
    expect(attention.pausedEndpoints).toEqual({
      count: 6,
      items: paused
        .slice(1)
        .reverse()
        .map((partnerId) => ({ partnerId, environment: 'live', failingSince: expect.any(String) })),
    });
    expect(attention.heldPostbacks).toEqual({
      count: 21,
      items: [6, 5, 4, 3, 2].map((count) => ({ partnerId: paused[count - 1], environment: 'live', count })),
    });
    const rules = { whitelist: true, forbidNonWhitelisted: true };
    expect(validateSync(plainToInstance(DispatcherAttention, attention), rules)).toEqual([]);
  });

  it('counts up to 100 dead letters that were not replayed, and shows the newest five', async () => {
    await dispatcher.database.query(
      `insert into postback.dead_letter
         (consumer, event_id, topic, "partition", "offset", key, headers, payload, reason, attempts, replayed_at)
       select 'postback-dispatcher', gen_random_uuid(), 'sale.completed', 0, n, 'sub', '{}', '', 'reason ' || n, 1,
              case when n > 110 then now() end
         from generate_series(1, 120) n`,
    );
    const { deadLetters } = await read();
    expect(deadLetters.count).toBe(100);
    expect(deadLetters.items.map(({ reason }) => reason)).toEqual([110, 109, 108, 107, 106].map((n) => `reason ${n}`));
  });
});
