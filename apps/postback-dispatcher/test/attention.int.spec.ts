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
      failingEndpoints: nothing,
      failedPostbacks: nothing,
      heldPostbacks: nothing,
      deadLetters: nothing,
    });
  });

  it('counts disabled and paused endpoints and failed and held postbacks of the environment live, and shows five of each', async () => {
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
      items: [6, 5, 4, 3, 2].map((count) => ({
        partnerId: paused[count - 1],
        environment: 'live',
        count,
        endpoint: 'active',
      })),
    });
    const rules = { whitelist: true, forbidNonWhitelisted: true };
    expect(validateSync(plainToInstance(DispatcherAttention, attention), rules)).toEqual([]);
  });

  it('reports whether the endpoint of held postbacks is missing, disabled or active now', async () => {
    const [missing, disabled, active] = [uniqueId('partner'), uniqueId('partner'), uniqueId('partner')];
    await disable(disabled);
    // A test endpoint does not receive the postbacks of live sales, so its state must not be reported.
    await disable(missing, 'test');
    await pause(active, '1 minute', { level: 0 });
    for (const [index, partnerId] of [missing, disabled, active].entries()) await hold(partnerId, 50 + index);
    const { items } = (await read()).heldPostbacks ?? { items: [] };
    expect(items.map(({ partnerId, endpoint }) => [partnerId, endpoint]).slice(0, 3)).toEqual([
      [active, 'active'],
      [disabled, 'disabled'],
      [missing, 'missing'],
    ]);
  });

  describe('with endpoints whose latest deliveries fail', () => {
    interface Sent {
      status?: 'pending' | 'delivered';
      attempts?: number;
      beforeReplay?: number;
      age?: string;
      environment?: string;
    }
    const activate = async (partnerId: string, { environment = 'live', level = 0 } = {}): Promise<string> => {
      const [row] = await dispatcher.database.query<{ id: string }>(
        `insert into postback.endpoint
           (id, partner_id, environment, url, auth_method, key_encrypted, signing_secret_encrypted, breaker_level)
         values (gen_random_uuid(), $1, $2, 'https://x.example.com', 'Bearer', '', '', $3) returning id`,
        [partnerId, environment, level],
      );
      return String(row?.id);
    };
    const send = (
      partnerId: string,
      endpointId: string,
      { status = 'pending', attempts = 1, beforeReplay = 0, age = '1 minute', environment = 'live' }: Sent = {},
    ) =>
      dispatcher.database.query(
        `insert into postback.delivery
           (id, partner_id, environment, endpoint_id, oid, event_id, body, status, attempt_count, attempts_before_replay, created_at,
            next_attempt_at)
         values (gen_random_uuid(), $1, $2, $3, $8, $8, '{}', $4, $5, $6, now() - $7::interval,
                 case when $4 = 'pending' then now() + interval '1 day' end)`,
        [partnerId, environment, endpointId, status, attempts, beforeReplay, age, uniqueId('sub')],
      );
    const shownOf = async (partnerId: string) => {
      const { failingEndpoints } = await read();
      return failingEndpoints?.items.find((one) => one.partnerId === partnerId);
    };

    it('shows an endpoint of a small partner whose only delivery fails, with the number of its pending deliveries', async () => {
      const partnerId = uniqueId('partner');
      const endpoint = await activate(partnerId);
      await send(partnerId, endpoint, { status: 'delivered', age: '1 hour' });
      await send(partnerId, endpoint, { age: '20 seconds' });
      await send(partnerId, endpoint, { attempts: 0 });
      expect(await shownOf(partnerId)).toEqual({ partnerId, environment: 'live', failing: 1, pending: 2 });
    });

    it('shows no endpoint that has accepted a newer delivery, unless the endpoint is paused', async () => {
      const partnerId = uniqueId('partner');
      const paused = uniqueId('partner');
      for (const [id, level] of [[partnerId, 0] as const, [paused, 1] as const]) {
        const endpoint = await activate(id, { level });
        await send(id, endpoint);
        await send(id, endpoint, { status: 'delivered', age: '40 seconds' });
      }
      expect(await shownOf(partnerId)).toBeUndefined();
      expect(await shownOf(paused)).toMatchObject({ failing: 1, pending: 1 });
    });

    it.each<[string, Sent]>([
      ['an attempt has failed a moment ago', { age: '5 seconds' }],
      ['no attempt was made', { attempts: 0 }],
      ['the replayed delivery was not attempted yet', { attempts: 3, beforeReplay: 3 }],
    ])('shows no endpoint if %s', async (_title, sent) => {
      const partnerId = uniqueId('partner');
      await send(partnerId, await activate(partnerId), sent);
      expect(await shownOf(partnerId)).toBeUndefined();
    });

    it('skips a test endpoint, but shows the live endpoints that come before and after it in the index', async () => {
      const [first, second, third] = ['a', 'b', 'c'].map((letter) => `${uniqueId('between')}-${letter}`) as [
        string,
        string,
        string,
      ];
      for (const [partnerId, environment] of [
        [first, 'live'],
        [second, 'test'],
        [second, 'live'],
        [third, 'live'],
      ] as const) {
        const endpoint = await activate(partnerId, { environment });
        for (let count = 0; count < (environment === 'test' ? 9 : 5); count++)
          await send(partnerId, endpoint, { environment });
      }
      for (const partnerId of [first, second, third]) {
        expect(await shownOf(partnerId)).toEqual({ partnerId, environment: 'live', failing: 5, pending: 5 });
      }
    });
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
