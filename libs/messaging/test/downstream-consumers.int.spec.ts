import { SALE_CLOSED, SALE_COMPLETED, SALE_REVOKED, type SaleCompleted, TOPOLOGY } from '@tandem/contracts';
import type { OutgoingMessage } from '@tandem/event-bus';
import {
  describeKafka,
  eventually,
  type FaultyServer,
  startKafkaBroker,
  startPostgresServer,
  type TestDatabase,
} from '@tandem/testing';
import { Client } from 'pg';
import { ensureTopics, newEventId } from '../src';
import { type RunningApp, startApp } from './fixture/app';
import { publishRaw, rawNote } from './fixture/bus';
import { createMessagingDatabase } from './fixture/database';
import { DownstreamConsumer, EXAMPLE_OF, type ExampleName, type Report } from './fixture/downstream';
import { noteTopic } from './fixture/note';

jest.setTimeout(360_000);

const TOPICS: readonly string[] = [SALE_COMPLETED, SALE_REVOKED, SALE_CLOSED].map(({ topic }) => topic);
const topology = TOPOLOGY.filter(({ event }) => TOPICS.includes(event.topic));

interface Sold {
  readonly id: string;
  readonly data: SaleCompleted;
}

/**
 * Returns the sale with this number. The sales have three partners and two currencies in turn; every seventh is a test
 * sale.
 */
const sold = (number: number): Sold => ({
  id: newEventId(),
  data: {
    oid: `sub_${number}`,
    partnerId: `partner-${number % 3}`,
    environment: number % 7 === 0 ? 'test' : 'live',
    promotionId: 'promotion-1',
    sharedId: '',
    emailMasked: 'j***e@example.com',
    currency: number % 2 === 0 ? 'EUR' : 'USD',
    items: [{ price: `${number}.95`, quantity: '2', category: 'Identity protection', tier: '', sku: 'Sell' }],
    soldAt: '2026-05-04T10:00:00.000Z',
    qualifiedAt: '2026-05-04T10:00:01.000Z',
  },
});

const soldFrom = (first: number, count: number): Sold[] =>
  Array.from({ length: count }, (_, index) => sold(first + index));

/** Returns the sums that a consumer has stored if it has counted each live sale once. */
function salesOf(all: readonly Sold[]): Report['sales'] {
  const sums = new Map<string, Report['sales'][number]>();
  for (const { data } of all.filter(({ data: { environment } }) => environment === 'live')) {
    const { partnerId: partner, currency, oid } = data;
    const sum = sums.get(partner + currency) ?? { partner, currency, sales: 0, cents: 0 };
    const cents = sum.cents + 2 * (Number(oid.slice(4)) * 100 + 95);
    sums.set(partner + currency, { ...sum, sales: sum.sales + 1, cents });
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

/**
 * Returns messages that no consumer can handle: the code or the database of a consumer rejects their bytes, types or
 * sizes.
 */
function poison(): OutgoingMessage[] {
  const { data } = sold(1);
  const [item] = data.items;
  const note = (value: unknown, headers = {}): OutgoingMessage =>
    rawNote(noteTopic(SALE_COMPLETED.topic), value, headers);
  return [
    note(Buffer.from([0x7b, 0x00, 0xff, 0x7d])),
    note({}, { ce_id: 'a\u0000b' }),
    note({ ...data, partnerId: { id: 'partner-1' } }),
    note({ ...data, partnerId: 'partner-\u0000' }),
    note({ ...data, items: [{ ...item, price: `${'9'.repeat(30)}.00` }] }),
    note({ ...data, items: [{ ...item, quantity: '9'.repeat(5000) }] }),
  ];
}

const names = Object.keys(EXAMPLE_OF) as ExampleName[];
const installable = names.filter((name) => EXAMPLE_OF[name].isInstallable);
const missing = names.filter((name) => !EXAMPLE_OF[name].isInstallable);

describeKafka('examples', () => {
  describe.each(installable)('%s, installed by another team', (name) => {
    let broker: FaultyServer & { readonly brokers: string[] };
    let database: TestDatabase;
    let writer: RunningApp;
    let consumer: DownstreamConsumer;

    beforeAll(async () => {
      [broker, database] = await Promise.all([startKafkaBroker(), createMessagingDatabase()]);
      const kafkaBrokers = broker.brokers;
      await ensureTopics({ bus: 'kafka', kafkaBrokers, superuserUrl: database.superuserUrl, topology });
      const databaseUrl = database.urlFor('writer');
      const topic = { ...noteTopic(), topology };
      writer = await startApp({ app: 'writer', bus: 'kafka', databaseUrl, kafkaBrokers, topic });
      const env = { KAFKA_BROKERS: kafkaBrokers.join(), DATABASE_URL: database.superuserUrl };
      consumer = await DownstreamConsumer.install(name, database, env);
    });
    afterAll(async () => {
      await consumer?.remove();
      await writer?.close();
      await database?.drop();
      await broker?.stop();
    });

    const publish = (sales: readonly Sold[]): Promise<void> =>
      writer.outbox.transaction((manager) => writer.outbox.addMany(manager, SALE_COMPLETED, sales));
    /** Waits until `count` events are handled. @throws an error with the consumer's output and the number of pending events */
    const untilHandled = async (count: number): Promise<Report> => {
      try {
        return await eventually(
          async () => {
            const report = await consumer.report();
            expect(report.handled).toBeGreaterThanOrEqual(count);
            return report;
          },
          { timeoutMs: 120_000, everyMs: 200 },
        );
      } catch (error) {
        const [outbox] = await database.query<{ events: number }>('select count(*)::int as events from writer.outbox');
        const state = `${outbox?.events} events are in the outbox; the consumer printed:\n${consumer.log}`;
        throw new Error(`${(error as Error).message}\n${state}`, { cause: error });
      }
    };

    it('loses no event and handles none twice when it is killed twice [events.exactly-once-effect]', async () => {
      const [early, late, last] = [soldFrom(1, 400), soldFrom(401, 400), soldFrom(801, 1)];
      await publish(early); // before the group existed
      consumer.start();
      await untilHandled(1);
      await consumer.end('SIGKILL');

      // No consumer runs now. Some of the earlier events are published again.
      await publish(late);
      await publish(early.slice(0, 100));
      await publishRaw(writer, { ...rawNote(noteTopic(SALE_COMPLETED.topic), { oid: 'sub_broken', items: 'none' }) });
      consumer.start();
      await untilHandled(early.length + 1);
      await consumer.end('SIGKILL');

      consumer.start();
      await publish([...late.slice(-50), ...last]);
      const all = [...early, ...late, ...last];
      const report = await untilHandled(all.length + 1);
      expect(report.sales).toEqual(salesOf(all));
      expect(report.refused).toHaveLength(1);
      expect(report.handled).toBe(all.length + 1);

      expect(await consumer.end('SIGTERM')).toBe(0);
      const after = soldFrom(802, 5);
      await publish([...after, ...last]);
      consumer.start();
      expect((await untilHandled(all.length + 6)).sales).toEqual(salesOf([...all, ...after]));
    });

    it('leaves revoked, refunded and charged-back sales out of the sums, in whatever order their events arrive [events.exactly-once-effect]', async () => {
      const before = await consumer.report();
      const [kept, revoked, refunded, both, early, test] = [4001, 4002, 4003, 4005, 4006, 4900].map(sold) as [
        Sold,
        Sold,
        Sold,
        Sold,
        Sold,
        Sold,
      ];
      const about = ({ data: { oid, partnerId, environment } }: Sold) => ({ oid, partnerId, environment });
      const at = '2026-05-05T10:00:00.000Z';
      const { outbox } = writer;
      const revoke = (sale: Sold) => ({ data: { ...about(sale), reason: 'returned' as const, revokedAt: at } });
      const close = (sale: Sold) => ({
        id: newEventId(),
        data: { ...about(sale), status: 'refunded' as const, closedAt: at },
      });
      const refund = close(both);
      await outbox.transaction((manager) => outbox.addMany(manager, SALE_CLOSED, [close(early)]));
      await untilHandled(before.handled + 1);
      await publish([kept, revoked, refunded, both, early, test]);
      await outbox.transaction(async (manager) => {
        await outbox.addMany(manager, SALE_REVOKED, [revoke(revoked), revoke(both), revoke(test)]);
        await outbox.addMany(manager, SALE_CLOSED, [close(refunded), refund, refund]);
        await outbox.addMany(manager, SALE_CLOSED, [
          { ...close(both), data: { ...refund.data, status: 'charged_back' as const } },
        ]);
      });
      const report = await untilHandled(before.handled + 1 + 6 + 3 + 3);
      const sums = (sales: Report['sales']) => sales.reduce((sum, { sales: count }) => sum + count, 0);
      expect(sums(report.sales)).toBe(sums(before.sales) + 1);
      expect(report.refused).toEqual(before.refused);
    });

    it('stores each event that it cannot handle, whatever the event contains, and continues [events.exactly-once-effect]', async () => {
      const before = await consumer.report();
      const bad = poison();
      for (const message of bad) await publishRaw(writer, message);
      await publish(soldFrom(2000, 1));
      const report = await untilHandled(before.handled + bad.length + 1);
      expect(report.refused).toHaveLength(before.refused.length + bad.length);
      const count = ({ sales }: Report): number => sales.reduce((sum, sale) => sum + sale.sales, 0);
      expect(count(report)).toBe(count(before) + 1);
    });

    if (name === 'downstream-consumer') {
      it('continues after its Postgres was killed while the consumer handled an event', async () => {
        const postgres = await startPostgresServer();
        const connect = async (): Promise<Client> => {
          const client = new Client({ connectionString: postgres.url });
          await client.on('error', () => undefined).connect();
          return client;
        };
        try {
          await consumer.end('SIGTERM');
          consumer.start({ DATABASE_URL: postgres.url });
          const [holder, watcher] = [await connect(), await connect()];
          await eventually(() => holder.query('rollback; begin; lock table sale in exclusive mode'));
          await publish([sold(3001)]);
          const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into sale%'`;
          await eventually(async () => expect((await watcher.query(waiting)).rowCount).toBe(1));
          await postgres.kill();
          await postgres.start();

          const reader = await connect();
          await eventually(
            async () => {
              await consumer.report(); // throws when the consumer has exited with an error
              expect((await reader.query('select 1 from sale')).rowCount).toBe(1);
            },
            { timeoutMs: 60_000 },
          );
          await reader.end();
        } finally {
          await postgres.stop();
        }
      });

      it('exits with 0 on SIGTERM while no broker is reachable', async () => {
        await consumer.end('SIGTERM');
        consumer.start({ KAFKA_BROKERS: '127.0.0.1:1' });
        await eventually(() => expect(consumer.log).toContain('ECONNREFUSED 127.0.0.1:1'));
        expect(await consumer.end('SIGTERM')).toBe(0);
      }, 60_000);
    }
  });
});

if (missing.length > 0) {
  describe.skip.each(missing)('%s, whose tools (python3 with pip) are not installed here', () => {
    it('is skipped', () => undefined);
  });
}
