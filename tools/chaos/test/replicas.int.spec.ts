import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describeKafka, eventually, sendRequest } from '@tandem/testing';
import { deliverWebhook } from '@tandem/stack-client';
import { loadOf } from '../src/ingest/load';
import { lookAt } from '../src/ingest/platform';
import { judgeFlood } from '../src/ingest/verdict';
import { randomFrom } from '../src/random';
import { NetworkLink } from '../src/replicas/network-link';
import { RunningPlatform } from './running-platform';

// The time limit covers the build and the startup of the platform. Two of the tests also need an outage of half a minute.
jest.setTimeout(900_000);

const THREE = ['partner-gateway', 'postback-dispatcher', 'voucher-service'];
const TWO = ['webhook-ingest', 'idp-api', 'idp-support', 'discovery'];
/** The app that serves from memory while its database is down. */
const IN_MEMORY = 'discovery';
const CONSUMERS = ['partner-gateway', 'postback-dispatcher', 'voucher-service', 'idp-api'];
const PUBLISHERS = [...THREE, 'webhook-ingest', 'idp-api', 'idp-support'];
/** How long a process hangs, or its network is cut. */
const OUTAGE_MS = 30_000;
const CALM_MS = 2_000;
const PURCHASES_PER_SECOND = 4;
/** How long a replica may take to answer /readyz. A process that hangs accepts connections but never answers. */
const PROBE_MS = 5_000;
/**
 * How long a test waits for an expected state. The wait is long because, on a machine that is busy with other tests, processes start late and leases
 * are renewed late.
 */
const PATIENT = { timeoutMs: 60_000, everyMs: 250 };

const readinessOf = (replicas: readonly { url: string }[]): Promise<(number | 'no answer')[]> =>
  Promise.all(
    replicas.map(({ url }) =>
      fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_MS) }).then(
        ({ status }) => status,
        () => 'no answer' as const,
      ),
    ),
  );

const replicasOf = (app: string): number => (THREE.includes(app) ? 3 : 2);

describeKafka('the two or three replicas of every app, as separate processes', () => {
  let platform: RunningPlatform;

  beforeAll(async () => {
    platform = await RunningPlatform.start(replicasOf);
  });
  afterAll(() => platform?.stop());

  /** Sends a number of requests to each replica of partner-gateway, all at the same time. */
  const floodGateways = (each: number, path: string, options: Parameters<typeof sendRequest>[2], method: string) =>
    Promise.all(
      platform.fleet
        .replicasOf('partner-gateway')
        .flatMap(({ url }) => Array.from({ length: each }, () => sendRequest(method, url + path, options))),
    );

  const leadersOf = (app: string): Promise<{ pid: number }[]> =>
    platform.query(
      `select distinct pid from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and granted and application_name = '${app}-relay'`,
    );

  it('together accept exactly 30 of 60 writes that are sent at once with one token [limits.write, limits.shared]', async () => {
    const { testToken: token } = platform.stack.file.partners.promotion;
    const body = { subscriptionId: `none_${randomUUID()}` };
    const answers = await floodGateways(20, '/api/v2/partner/subscription/revoke', { token, body }, 'PUT');
    const counts = [404, 429].map((status) => answers.filter((answer) => answer.status === status).length);
    expect(counts).toEqual([30, 30]);
  });

  it('handle each webhook of a flood once, although webhooks are repeated and arrive in any order', async () => {
    const { stack } = platform;
    const load = loadOf(25, randomFrom(1), stack.vendorAppKey);
    const ingest = stack.urlOf('webhook-ingest');
    const urls = { payments: `${ingest}/idp/payments/webhook`, array: `${ingest}/idp/array/webhook` };
    for (const delivery of load.deliveries) {
      const { integration } = delivery;
      await deliverWebhook({ webhookUrl: urls[integration], secret: stack.webhookSecrets[integration] }, delivery);
    }
    await eventually(async () => {
      const { lost, actedOnTwice, wrong } = judgeFlood(load, await lookAt(load, stack.platformAddress));
      expect({ lost, actedOnTwice, wrong }).toEqual({ lost: [], actedOnTwice: [], wrong: [] });
    }, PATIENT);
  });

  it('create coupons once when all receive the same Idempotency-Key concurrently [vouchers.idempotency-replay]', async () => {
    const { token, voucherGroupId } = platform.stack.file.partners.voucher;
    const options = {
      token,
      body: { voucherGroupId, count: 5 },
      headers: { 'idempotency-key': randomUUID() },
    };
    const answers = await floodGateways(3, '/api/v2/partner/subscription/vouchers', options, 'POST');
    const created = answers.filter(({ status }) => status === 201).map(({ body }) => body.batchId);
    expect(new Set(created).size).toBe(1);
    expect(answers.filter(({ status }) => ![201, 409].includes(status))).toEqual([]);
    const rows = await platform.query(`select 1 from voucher.coupon where batch_id = '${created[0]}'`);
    expect(rows).toHaveLength(5);
    const batches = await platform.query(`select 1 from voucher.batch where group_id = '${voucherGroupId}'`);
    expect(batches).toHaveLength(1);
  });

  it('together own all 64 shards of endpoints, and each owns a third of them [replicas.shards]', async () => {
    await eventually(async () => {
      const owners = await platform.query<{ count: number }>(
        'select count(*)::int as count from postback.shard where lease_until > now() group by owner order by 1',
      );
      const counts = owners.map(({ count }) => count);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(64);
      expect(counts).toHaveLength(3);
      expect(Math.max(...counts)).toBeLessThanOrEqual(22);
    }, PATIENT);
  });

  it('share the partitions of Kafka equally [replicas.partitions]', async () => {
    for (const app of CONSUMERS) {
      const part = 6 / replicasOf(app);
      await eventually(async () => {
        const topics = Object.values(await platform.partitionsOf(app));
        expect(topics.length).toBeGreaterThan(0);
        for (const parts of topics) expect(parts).toEqual(Array.from({ length: replicasOf(app) }, () => part));
      }, PATIENT);
    }
  });

  it('have one leader of the relay, and get a new leader after all replicas are killed [replicas.relay]', async () => {
    for (const app of PUBLISHERS) {
      await eventually(async () => expect(await leadersOf(app)).toHaveLength(1), PATIENT);
    }
    const before = await leadersOf('partner-gateway');
    const pids = platform.fleet.replicasOf('partner-gateway').map(({ state }) => state.pid);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await eventually(async () => {
      const after = await leadersOf('partner-gateway');
      expect(after).toHaveLength(1);
      expect(after).not.toEqual(before);
    }, PATIENT);
  });

  it('lose nothing and do nothing twice when one replica of each app hangs for 30 s and continues [replicas.hang]', async () => {
    const hanging = [...THREE, ...TWO].flatMap((app) => platform.fleet.replicasOf(app).slice(0, 1));
    const { verdict, oids } = await platform.buyDuring(PURCHASES_PER_SECOND, async () => {
      await delay(CALM_MS);
      for (const replica of hanging) replica.freeze();
      await delay(OUTAGE_MS);
      expect(await readinessOf(hanging)).toEqual(hanging.map(() => 'no answer'));
      for (const replica of hanging) replica.thaw();
      await delay(CALM_MS);
    });
    await expectOnce(verdict, oids);
  });

  it('lose nothing and do nothing twice when one replica of each app is cut off from its store for 30 s [replicas.cut]', async () => {
    const link = await NetworkLink.open(Number(new URL(platform.stack.postgresUrl).port));
    try {
      const apps = [...THREE, ...TWO];
      const behind = await Promise.all(
        apps.map(async (app) => {
          const url = link.urlFor(String(platform.stack.replicaOf(app).env['DATABASE_URL']));
          return platform.fleet.add(app, { DATABASE_URL: url });
        }),
      );
      const { verdict, oids } = await platform.buyDuring(PURCHASES_PER_SECOND, async () => {
        await delay(CALM_MS);
        link.cut();
        await delay(OUTAGE_MS);
        expect(await readinessOf(behind)).toEqual(apps.map((app) => (app === IN_MEMORY ? 200 : 503)));
        link.restore();
        await delay(CALM_MS);
      });
      await expectOnce(verdict, oids);
      await eventually(async () => expect(await readinessOf(behind)).toEqual(behind.map(() => 200)), PATIENT);
    } finally {
      link.close();
    }
  });

  /** Expects that each purchase has its sale, its two events, and its postback under one webhook-id. */
  async function expectOnce(
    verdict: Awaited<ReturnType<RunningPlatform['buyDuring']>>['verdict'],
    oids: readonly string[],
  ): Promise<void> {
    expect(oids.length).toBeGreaterThan(PURCHASES_PER_SECOND);
    const { lostSales, lostPostbacks, actedOnTwice, unknown } = verdict;
    expect({ lostSales, lostPostbacks, actedOnTwice, unknown }).toEqual({
      lostSales: [],
      lostPostbacks: [],
      actedOnTwice: [],
      unknown: [],
    });
    for (const topic of ['sale.completed', 'postback.delivered']) {
      await eventually(async () => {
        const ids = await platform.eventIdsOf(topic);
        expect(oids.filter((oid) => ids.get(oid)?.size !== 1)).toEqual([]);
      }, PATIENT);
    }
  }
});
