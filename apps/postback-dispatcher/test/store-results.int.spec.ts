import { randomUUID } from 'node:crypto';
import { POSTBACK_DELIVERED } from '@tandem/contracts';
import { figuresRecountPath } from '@tandem/internal-api';
import { keepLocks, uniqueId } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { DataSource } from 'typeorm';
import type { AttemptResult, EndpointChange, Verdict } from '../src/dispatch/dispatch-types';
import { ResultRepository } from '../src/dispatch/result.repository';
import { Dispatcher } from './dispatcher';

const RETRIED: Verdict = { status: 'pending', nextInMs: 3_600_000 };
const EXHAUSTED: Verdict = { status: 'failed', reason: 'attempts_exhausted' };

describe('the result of an attempt', () => {
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
  });
  afterAll(() => dispatcher?.stop());

  const repository = (): ResultRepository => dispatcher.running.nest.get(ResultRepository, { strict: false });
  const storeAll = (results: AttemptResult[], changes: EndpointChange[] = []): Promise<ReadonlySet<string>> =>
    repository().store(results, changes);
  const store = (result: AttemptResult, changes?: EndpointChange[]): Promise<ReadonlySet<string>> =>
    storeAll([result], changes);

  /** Adds a pending delivery that no worker sends, because its endpoint does not exist. */
  const addDelivery = async (attempts = 0, partnerId = 'p'): Promise<AttemptResult['delivery']> => {
    const delivery = {
      id: randomUUID(),
      oid: uniqueId('sub'),
      partnerId,
      environment: 'live',
      kind: 'sale',
      body: '{}',
      eventId: 'e',
      traceparent: null,
    } as const;
    await dispatcher.database.query(
      `insert into postback.delivery
         (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at, attempt_count)
       values ($1, $4, 'live', gen_random_uuid(), $2, 'e', '{}', 'pending', now(), $3)`,
      [delivery.id, delivery.oid, attempts, partnerId],
    );
    return { ...delivery, createdAt: Date.now(), attemptCount: attempts, attemptsBeforeReplay: 0 };
  };
  const changeOf = (endpointId: string, shardEpoch: string): EndpointChange => ({
    endpointId,
    shardEpoch,
    configVersion: 1,
    consecutiveExhausted: 19,
    disabledReason: 'endpoint_gone',
    breakerLevel: 3,
    blockedForMs: 60_000,
  });
  const epochOf = async (endpointId: string): Promise<string> => {
    const [row] = await dispatcher.database.query<{ epoch: string }>(
      `select s.epoch from postback.shard s join postback.endpoint e on e.shard = s.id where e.id = $1`,
      [endpointId],
    );
    return row?.epoch ?? '';
  };
  const stored = async (endpointId: string | undefined): Promise<unknown> => {
    const [row] = await dispatcher.database.query(
      `select blocked_until is not null as blocked, breaker_level, consecutive_exhausted from postback.endpoint where id = $1`,
      [endpointId],
    );
    return row;
  };
  const outcome = {
    startedAt: Date.now(),
    latencyMs: 3,
    stage: null,
    status: 200,
    detail: null,
    timedOut: false,
    response: null,
    retryAfter: null,
  };
  const delivered = { status: 'delivered' } as const;
  /** Returns the result of an attempt that the endpoint answered with 409. */
  const failureOf = (delivery: AttemptResult['delivery'], verdict: Verdict = RETRIED): AttemptResult => ({
    delivery,
    outcome: { ...outcome, stage: 'status', status: 409 },
    verdict,
  });

  it('counts only once, however often it is stored', async () => {
    const delivery = await addDelivery();
    const result = { delivery, outcome, verdict: delivered };
    expect(await store(result)).toEqual(new Set([delivery.id]));
    expect(await store(result)).toEqual(new Set());
    expect(await dispatcher.attemptsOf(delivery.oid)).toHaveLength(1);
    const published = await dispatcher.published(POSTBACK_DELIVERED.topic, delivery.oid);
    expect(published).toHaveLength(1);
    expect(validateSync(plainToInstance(POSTBACK_DELIVERED.data, published[0]))).toEqual([]);
  });

  it('counts only once when a batch contains results of two workers for the same attempt', async () => {
    const delivery = await addDelivery();
    const result = { delivery, outcome, verdict: delivered };
    const late = { ...result, outcome: { ...outcome, startedAt: outcome.startedAt + 1 } };
    expect(await storeAll([result, late])).toEqual(new Set([delivery.id]));
    expect(await dispatcher.attemptsOf(delivery.oid)).toHaveLength(1);
    expect(await dispatcher.published(POSTBACK_DELIVERED.topic, delivery.oid)).toHaveLength(1);
  });

  it('does not count if it is a failure and the result of another attempt with the same number is stored already', async () => {
    const delivery = await addDelivery();
    expect(await store(failureOf(delivery))).toEqual(new Set([delivery.id]));
    expect(await store(failureOf(delivery, EXHAUSTED))).toEqual(new Set());
    expect(await dispatcher.deliveryOf(delivery.oid)).toMatchObject({ status: 'pending', attempt_count: 1 });
    expect(await dispatcher.attemptsOf(delivery.oid)).toHaveLength(1);
  });

  it.each<[string, Verdict]>([
    ['waits for a retry', RETRIED],
    ['has used up its attempts', EXHAUSTED],
    ['has failed because the endpoint is gone', { status: 'failed', reason: 'endpoint_gone' }],
  ])(
    'counts if the endpoint accepted the delivery, even if the delivery %s after the next owner’s attempt',
    async (_title, verdict) => {
      const delivery = await addDelivery(0, uniqueId('partner'));
      await store(failureOf(delivery, verdict));
      const late = { delivery, outcome, verdict: delivered };
      expect(await store(late)).toEqual(new Set([delivery.id]));
      expect(await store(late)).toEqual(new Set());
      expect(await dispatcher.deliveryOf(delivery.oid)).toMatchObject({ status: 'delivered', attempt_count: 2 });
      expect(await dispatcher.attemptsOf(delivery.oid)).toMatchObject([
        { number: 1, status: 409 },
        { number: 2, status: 200 },
      ]);
      expect(await dispatcher.published(POSTBACK_DELIVERED.topic, delivery.oid)).toHaveLength(1);
      const { partnerId } = delivery;
      const figures = `select sum(delivered)::int as delivered, sum(failed)::int as failed, sum(first_attempts)::int as first
      from postback.delivery_statistic where partner_id = $1`;
      expect(await dispatcher.database.query(figures, [partnerId])).toEqual([{ delivered: 1, failed: 0, first: 1 }]);
      const recount = await dispatcher.request('POST', figuresRecountPath(), { partnerId });
      expect(recount).toMatchObject({ status: 200, body: { corrected: 0 } });
    },
  );

  it('counts if the endpoint accepted the postback, although another worker’s failure comes first in the batch', async () => {
    const delivery = await addDelivery();
    await storeAll([failureOf(delivery), { delivery, outcome, verdict: delivered }]);
    expect(await dispatcher.deliveryOf(delivery.oid)).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect(await dispatcher.attemptsOf(delivery.oid)).toMatchObject([{ number: 1, status: 200 }]);
  });

  it('does not count after a replay has restarted the retries', async () => {
    const delivery = await addDelivery();
    await store(failureOf(delivery));
    await dispatcher.database.query(
      `update postback.delivery set attempts_before_replay = attempt_count, replayed_at = now() where id = $1`,
      [delivery.id],
    );
    expect(await store({ delivery, outcome, verdict: delivered })).toEqual(new Set());
    expect(await dispatcher.deliveryOf(delivery.oid)).toMatchObject({ status: 'pending', attempt_count: 1 });
  });

  it('is stored after the lock of the delivery is released, even if it is a late success', async () => {
    const delivery = await addDelivery();
    await store(failureOf(delivery));
    const late = { delivery, outcome, verdict: delivered, change: null };
    await dispatcher.running.nest.get(DataSource).transaction(async (manager) => {
      await keepLocks(manager);
      await manager.query('select from delivery where id = $1 for update', [delivery.id]);
      expect(await repository().storeUnlocked([late])).toEqual(new Set([delivery.id]));
    });
    expect(await repository().storeUnlocked([late])).toEqual(new Set());
    expect(await dispatcher.deliveryOf(delivery.oid)).toMatchObject({ status: 'delivered' });
  });

  it('does not change an endpoint whose configuration has been saved in the meantime', async () => {
    const { partnerId } = await dispatcher.createEndpoint('http://127.0.0.1:9/');
    const [row] = await dispatcher.database.query<{ id: string }>(
      `select id from postback.endpoint where partner_id = $1`,
      [partnerId],
    );
    await dispatcher.save(partnerId, { url: 'http://127.0.0.1:9/new', authMethod: 'Bearer' });
    const change = { ...changeOf(row?.id ?? '', await epochOf(row?.id ?? '')), configVersion: 1 };
    await store({ delivery: await addDelivery(), outcome, verdict: delivered }, [change]);
    expect((await dispatcher.read(partnerId)).body).toMatchObject({ status: 'active' });
    expect(await stored(row?.id)).toEqual({ blocked: false, breaker_level: 0, consecutive_exhausted: 0 });
  });

  it('changes an endpoint only if no other process has taken its shard in the meantime', async () => {
    const { partnerId } = await dispatcher.createEndpoint('http://127.0.0.1:9/');
    const [row] = await dispatcher.database.query<{ id: string }>(
      `select id from postback.endpoint where partner_id = $1`,
      [partnerId],
    );
    const id = row?.id ?? '';
    const epoch = await epochOf(id);
    const result = async () => ({ delivery: await addDelivery(), outcome, verdict: delivered });
    await store(await result(), [{ ...changeOf(id, String(Number(epoch) - 1)), disabledReason: null }]);
    expect(await stored(id)).toEqual({ blocked: false, breaker_level: 0, consecutive_exhausted: 0 });
    await store(await result(), [{ ...changeOf(id, epoch), disabledReason: null }]);
    expect(await stored(id)).toEqual({ blocked: true, breaker_level: 3, consecutive_exhausted: 19 });
  });

  it('stores the current owner’s last change of the endpoint, although a previous owner’s change follows in the batch', async () => {
    const { partnerId } = await dispatcher.createEndpoint('http://127.0.0.1:9/');
    // With the epochs 9 and 10, a comparison of the epochs as texts would choose the wrong change.
    const [row] = await dispatcher.database.query<{ id: string }>(
      `with taken as (
         update postback.shard s set epoch = 10 from postback.endpoint e where e.shard = s.id and e.partner_id = $1 returning e.id)
       select id from taken`,
      [partnerId],
    );
    const id = row?.id ?? '';
    const change = (shardEpoch: string, breakerLevel: number): EndpointChange => ({
      ...changeOf(id, shardEpoch),
      disabledReason: null,
      breakerLevel,
    });
    const result = { delivery: await addDelivery(), outcome, verdict: delivered };
    await store(result, [change('10', 1), change('10', 2), change('9', 3)]);
    expect(await stored(id)).toMatchObject({ breaker_level: 2 });
  });
});
