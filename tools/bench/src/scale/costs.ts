import path from 'node:path';
import { createDataSource, deleteOldRows } from '@tandem/database';
import { ROOT } from '../processes/child';
import { median, quantile } from '../statistics';
import type { ChainStack } from '../chain/stack';

type DataSource = ReturnType<typeof createDataSource>;

const DAY_MS = 86_400_000;
const OLD_ROWS = 10_000;
/** How often each cost is measured: enough for a 95th percentile. */
const REPEATS = 100;
const ARRIVAL_MS = 120_000;
export const DISPATCHER = 'postback-dispatcher';
const GATEWAY = 'partner-gateway';

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** How long some work takes, in milliseconds. */
export interface Cost {
  readonly median: number;
  readonly p95: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const times: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) times.push(await timeOf(work));
  return { median: median(times), p95: quantile(times, 0.95) };
}

async function asApp<Result>(
  stack: ChainStack,
  app: string,
  work: (source: DataSource) => Promise<Result>,
): Promise<Result> {
  const url = stack.databaseUrlOf(app);
  const source = await createDataSource({ url, applicationName: 'bench-scale', poolMax: 1 }).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

/** Measures how long the retention of the inbox takes to delete 10,000 rows, in milliseconds. */
export async function cleanUpMs(stack: ChainStack): Promise<number> {
  await stack.client.query(
    `insert into partner.inbox (consumer, event_id, handled_at)
     select 'scale', gen_random_uuid(), now() - interval '31 days' from generate_series(1, $1::int)`,
    [OLD_ROWS],
  );
  const before = new Date(Date.now() - 30 * 86_400_000);
  return asApp(stack, GATEWAY, (source) =>
    timeOf(async () => {
      const deleted = await deleteOldRows(source, { table: 'inbox', column: 'handled_at' }, before);
      if (deleted !== OLD_ROWS) throw new Error(`${deleted} of ${OLD_ROWS} old rows were deleted`);
    }),
  );
}

interface Backlog {
  measure(overdueAfterSeconds: number): Promise<unknown>;
}

/**
 * Measures the backlog query, which postback-dispatcher runs every 15 s by default. The query is loaded from the build,
 * because tools do not import apps.
 */
export function backlogMeasureCost(stack: ChainStack): Promise<Cost> {
  const file = path.join(ROOT, 'apps', DISPATCHER, 'dist/delivery/backlog.repository.js');
  const { BacklogRepository } = require(file) as { BacklogRepository: new (source: DataSource) => Backlog };
  return asApp(stack, DISPATCHER, (source) => {
    const backlog = new BacklogRepository(source);
    return costOf(() => backlog.measure(60));
  });
}

interface Figures {
  find(counted: { partnerId: null; environment: 'live' }, starts: readonly Date[]): Promise<unknown[]>;
}

/** Measures a read of the daily figures of all partners, for the days on which there are sales. */
export function figuresCost(stack: ChainStack, days: number): Promise<Cost> {
  const file = path.join(ROOT, 'apps', GATEWAY, 'dist/statistics/statistics.repository.js');
  const { StatisticsRepository } = require(file) as { StatisticsRepository: new (source: object) => Figures };
  const today = Math.floor(Date.now() / DAY_MS);
  const starts = Array.from({ length: days + 2 }, (_, day) => new Date((today - days + day) * DAY_MS));
  return asApp(stack, GATEWAY, ({ manager }) => {
    const figures = new StatisticsRepository(manager);
    return costOf(async () => {
      if ((await figures.find({ partnerId: null, environment: 'live' }, starts)).length < 2)
        throw new Error('no figures');
    });
  });
}

/**
 * Measures a page of a partner's list over HTTP.
 * @param list the path and the query of the page
 */
export function pageCost(stack: ChainStack, token: string, list: string): Promise<Cost> {
  const url = `${stack.urlOf(GATEWAY)}/api/v2/partner/${list}`;
  return costOf(async () => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}: ${text}`);
    if ((JSON.parse(text) as { items: unknown[] }).items.length === 0) throw new Error(`${url} returned no items`);
  });
}

/**
 * Stops postback-dispatcher, makes a sale, and starts postback-dispatcher again. Measures the milliseconds from this
 * start until postback-dispatcher is ready and has sent the postback of the sale.
 */
export async function restartMs(stack: ChainStack): Promise<number> {
  await stack.stopApp(DISPATCHER);
  await stack.sink.take();
  await stack.generator.prepare(stack.preparation(1));
  await stack.generator.send({ inFlight: 1 });
  return timeOf(async () => {
    const starting = stack.startApp(DISPATCHER);
    await Promise.all([starting, stack.sink.waitFor(1, ARRIVAL_MS)]);
  });
}
