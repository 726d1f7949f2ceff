import { POSTBACK_FAILED } from '@tandem/contracts';
import { postbackEnablePath } from '@tandem/internal-api';
import { eventually, type TestDatabase } from '@tandem/testing';
import { Client } from 'pg';
import { ExpiryRepository } from '../src/dispatch/expiry.repository';
import type { Endpoint } from '../src/endpoint-store/endpoint.entity';
import { EndpointRepository } from '../src/endpoint-store/endpoint.repository';
import { DeliveryLog } from './delivery-log';
import { createPostbackDatabase, Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

const HOUR_MS = '3600000';

/** With these settings, a delivery has two attempts, and the first 503 pauses its endpoint for an hour. */
const PAUSED = {
  POSTBACK_RETRY_SCHEDULE_SECONDS: '0,0.1',
  POSTBACK_BREAKER_PAUSE_MS: HOUR_MS,
  POSTBACK_BREAKER_MAX_PAUSE_MS: HOUR_MS,
  POSTBACK_EXPIRE_AFTER_SECONDS: '1',
  POSTBACK_SWEEP_MS: '200',
  POSTBACK_DISABLE_AFTER: '4',
};

describe('an overdue delivery', () => {
  let database: TestDatabase;
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let log: DeliveryLog;

  const start = async (overrides: NodeJS.ProcessEnv): Promise<void> => {
    dispatcher = await Dispatcher.start({ ...PAUSED, ...overrides }, database);
    log = new DeliveryLog(dispatcher);
  };
  beforeAll(async () => {
    database = await createPostbackDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    endpoint = await EndpointServer.start();
    endpoint.always(answer(503));
  });
  afterEach(async () => {
    await dispatcher.stop();
    await endpoint.stop();
  });

  it('fails if a pause has delayed it by POSTBACK_EXPIRE_AFTER_SECONDS beyond its last planned attempt [delivery.paused-ends]', async () => {
    await start({});
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const [first, others] = [saleOf(partnerId), Array.from({ length: 4 }, () => saleOf(partnerId))];
    await dispatcher.publish(first);
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    await dispatcher.publish(...others);
    for (const { oid } of others) {
      const row = await log.settled(oid, 'failed');
      expect(row).toMatchObject({ attempt_count: 0, failure_reason: 'attempts_exhausted', next_attempt_at: null });
      expect(await dispatcher.published(POSTBACK_FAILED.topic, oid)).toMatchObject([
        { deliveryId: row.id, attempts: 0, reason: 'attempts_exhausted' },
      ]);
    }
    expect(await log.settled(first.oid, 'failed')).toMatchObject({ attempt_count: 1 });
    expect(endpoint.received).toHaveLength(1);
    // The endpoint has been failing for a few seconds, not for 5 days, so it is not disabled.
    expect((await dispatcher.read(partnerId)).body).toMatchObject({ status: 'active' });
  });

  it('is not sent while a transaction marks it as failed', async () => {
    await start({});
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const other = await EndpointServer.start();
    const { partnerId: otherPartnerId } = await dispatcher.createEndpoint(other.url);
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    await eventually(async () => expect(await dispatcher.attemptsOf(sale.oid)).toHaveLength(1));
    endpoint.always(answer(200));
    // The transaction that sets the delivery to `failed` waits for this lock. Meanwhile, the test ends the pause. A transaction that began
    // before the delivery was overdue waits for the lock too, although it does not change the delivery. If this happens, the loop waits
    // for the next transaction.
    const locking = new Client({ connectionString: database.superuserUrl });
    await locking.connect();
    for (let isOverdue = false; !isOverdue;) {
      await locking.query('rollback; begin; lock table postback.delivery_statistic in share row exclusive mode');
      isOverdue = await eventually(async () => {
        const waiting = await database.query<{ overdue: boolean }>(
          `select xact_start >= d.created_at + interval '1 second' as overdue from pg_stat_activity, postback.delivery d
           where wait_event_type = 'Lock' and query like '%expired as (%' and d.oid = $1`,
          [sale.oid],
        );
        expect(waiting).toHaveLength(1);
        return waiting[0]?.overdue === true;
      });
    }
    const enabled = await dispatcher.request('POST', postbackEnablePath(partnerId, 'live'));
    expect(enabled).toMatchObject({ status: 200, body: { pausedUntil: null } });
    const marker = saleOf(otherPartnerId);
    await dispatcher.publish(marker);
    await eventually(() => expect(other.about(marker.oid)).toHaveLength(1));
    await locking.query('commit');
    await locking.end();
    await log.settled(marker.oid, 'delivered');
    expect(await log.settled(sale.oid, 'failed')).toMatchObject({ attempt_count: 1 });
    expect(endpoint.about(sale.oid)).toHaveLength(1);
    const [after] = await log.sales(partnerId, 1, 'delivered');
    expect(endpoint.about(after?.oid ?? '')).toHaveLength(1);
    await other.stop();
  });

  it('disables the configuration when it expires with several others, after a long time without a success [delivery.failing-disables]', async () => {
    await start({ POSTBACK_DISABLE_WITHOUT_SUCCESS_SECONDS: '2' });
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    await dispatcher.publish(...Array.from({ length: 5 }, () => saleOf(partnerId)));
    await eventually(async () =>
      expect((await dispatcher.read(partnerId)).body).toMatchObject({
        status: 'disabled',
        disabledReason: 'deliveries_exhausted',
      }),
    );
    const late = saleOf(partnerId);
    await dispatcher.publish(late);
    await log.settled(late.oid, 'held');
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer' });
    endpoint.always(answer(200));
    const [after] = await log.sales(partnerId, 1, 'delivered');
    expect(endpoint.about(after?.oid ?? '')).toHaveLength(1);
  });

  it('gets, when it is replayed, as much time until its expiry as a new delivery', async () => {
    await start({ POSTBACK_EXPIRE_AFTER_SECONDS: '600' });
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    await dispatcher.publish(saleOf(partnerId));
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    const longAgo = new Date(Date.now() - 3_600_000).toISOString();
    await log.insert(partnerId, [
      { createdAt: longAgo, status: 'pending' },
      { createdAt: longAgo, status: 'held' },
    ]);
    await database.query(
      `update postback.delivery set next_attempt_at = created_at where partner_id = $1 and status = 'pending'`,
      [partnerId],
    );
    const [held] = await database.query<{ id: string }>(
      `select id from postback.delivery where partner_id = $1 and status = 'held'`,
      [partnerId],
    );
    await log.replay(partnerId, held?.id ?? '');
    await eventually(async () => {
      const rows = await database.query<{ id: string }>(
        `select id from postback.delivery where partner_id = $1 and status = 'failed'`,
        [partnerId],
      );
      expect(rows).toHaveLength(1);
      expect(rows[0]?.id).not.toBe(held?.id);
    });
  });

  it('expires POSTBACK_EXPIRE_AFTER_SECONDS after its last planned attempt, even if Retry-After postponed its attempts', async () => {
    await start({ POSTBACK_RETRY_SCHEDULE_SECONDS: '0,1,1,1,1,1,600', POSTBACK_EXPIRE_AFTER_SECONDS: '600' });
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    await dispatcher.publish(saleOf(partnerId));
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    const longAgo = new Date(Date.now() - 3_600_000).toISOString();
    const [putOff, over] = await log.insert(partnerId, [
      { createdAt: longAgo, status: 'pending' },
      { createdAt: longAgo, status: 'pending' },
    ]);
    await database.query(
      `update postback.delivery set attempt_count = 5,
         next_attempt_at = now() - case when id = $1 then interval '15 minutes' else interval '30 minutes' end
       where id = any ($2::uuid[])`,
      [putOff, [putOff, over]],
    );
    await eventually(async () => {
      const [row] = await database.query<{ status: string }>('select status from postback.delivery where id = $1', [
        over,
      ]);
      expect(row?.status).toBe('failed');
    });
    expect(await database.query('select status from postback.delivery where id = $1', [putOff])).toEqual([
      { status: 'pending' },
    ]);
  });

  it('is sent even an hour after its creation if the endpoint is not failing [delivery.paused-ends]', async () => {
    await start({});
    endpoint.always(answer(200));
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const longAgo = new Date(Date.now() - 3_600_000).toISOString();
    const [old] = await log.insert(partnerId, [{ createdAt: longAgo, status: 'pending' }]);
    await database.query('update postback.delivery set next_attempt_at = now() where id = $1', [old]);
    await eventually(async () => {
      const rows = await database.query(`select from postback.delivery where id = $1 and status = 'delivered'`, [old]);
      expect(rows).toHaveLength(1);
    });
  });

  it('is not set to failed by a process that has lost the shard to another process', async () => {
    await start({ POSTBACK_EXPIRE_AFTER_SECONDS: '600' });
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    const [row] = await eventually(async () => {
      const rows = await database.query<{ id: string; epoch: string }>(
        `select e.id, s.epoch::text from postback.endpoint e join postback.shard s on s.id = e.shard
         join postback.delivery d on d.endpoint_id = e.id where d.oid = $1 and d.attempt_count = 1 and d.next_attempt_at <= now()`,
        [sale.oid],
      );
      expect(rows).toHaveLength(1);
      return rows;
    });
    const nest = dispatcher.running.nest;
    const [stored] = await nest.get(EndpointRepository, { strict: false }).findByIds([row?.id ?? '']);
    const expire = (epoch: number): Promise<number> =>
      nest
        .get(ExpiryRepository, { strict: false })
        .expire(stored as Endpoint, String(epoch), { afterMs: 0, remainingMs: [0] }, [], 500);
    const epoch = Number(row?.epoch);
    expect(await expire(epoch - 1)).toBe(0);
    expect(await log.settled(sale.oid, 'pending')).toMatchObject({ attempt_count: 1 });
    expect(await expire(epoch)).toBe(1);
    await log.settled(sale.oid, 'failed');
  });
});
