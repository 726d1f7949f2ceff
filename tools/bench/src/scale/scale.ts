import { withLogs } from '../chain/chain';
import { idleShareOf, runSales, runWithCost } from '../chain/round';
import { ChainStack } from '../chain/stack';
import { createAccount } from '../partner/rows';
import { Cleanup } from '../processes/child';
import { type Figure, ms } from '../report';
import type { Settings } from '../../options';
import { median } from '../statistics';
import { backlogMeasureCost, cleanUpMs, type Cost, DISPATCHER, figuresCost, pageCost, restartMs } from './costs';
import { DAYS, fillDatabase } from './rows';

/** The number of sales in the small database, with which the large database is compared. */
const SMALL = 10_000;
const WARM_UP = 3_000;
const IN_FLIGHT = 64;
const PER_SECOND = 50;
const PACED_SECONDS = 15;
/** The maximum factor by which the chain may be slower in the large database than in the small one. */
const GROWTH = 1.3;
/** The maximum factor by which a page of sales may be slower in the large database. */
const PAGE_GROWTH = 1.2;
/** The maximum 95th percentile of a read of daily figures in the large database, ms. */
const FIGURES_MS = 50;

/** The measurements in a database of one size. */
interface Measured {
  readonly salesPerSecond: number;
  readonly p95: number;
  readonly idle: number | null;
  readonly cleanUp: number;
  readonly backlog: Cost;
  readonly page: Cost;
  readonly failedPage: Cost;
  readonly salesPage: Cost;
  readonly figures: Cost;
  readonly allFigures: Cost;
  readonly restart: number;
}

/** Measures the chain, and the background work, in a small and in a large database. */
export async function measureScale(
  serverUrl: string,
  rounds: number,
  cleanup: Cleanup,
  { rows, sales }: Settings,
): Promise<Figure[]> {
  const small = await measureSize(serverUrl, SMALL, { rounds, sales }, cleanup);
  const large = await measureSize(serverUrl, rows, { rounds, sales }, cleanup);
  const times = (name: string, of: (one: Measured) => number): Figure => ({
    name: `${name}, of ${SMALL.toLocaleString('en')} and of ${rows.toLocaleString('en')} rows`,
    value: `${ms(of(small))}, ${ms(of(large))} (${(of(large) / of(small)).toFixed(2)} times)`,
  });
  const limit = (figure: Figure, ratio: number, most = GROWTH): Figure => ({
    ...figure,
    target: `<= ${most} times`,
    met: ratio <= most,
  });
  const medians = (name: string, of: (one: Measured) => Cost): Figure => times(name, (one) => of(one).median);
  const p95 = (name: string, of: (one: Measured) => Cost): Figure => ({
    ...times(`${name}, p95`, (one) => of(one).p95),
    target: `<= ${FIGURES_MS} ms`,
    met: of(large).p95 <= FIGURES_MS,
  });
  const flood = {
    name: `flood, sales a second, of ${SMALL.toLocaleString('en')} and of ${rows.toLocaleString('en')} rows`,
    value: `${Math.round(small.salesPerSecond)}, ${Math.round(large.salesPerSecond)}`,
  };
  return [
    limit(flood, small.salesPerSecond / large.salesPerSecond),
    limit(
      times(`p95 at ${PER_SECOND}/s, webhook answered to postback`, ({ p95 }) => p95),
      large.p95 / small.p95,
    ),
    {
      name: 'CPU time while idle (sweeps, measurements, polls)',
      value: `${shareText(small.idle)}, ${shareText(large.idle)}`,
    },
    times('clean-up of 10,000 inbox rows', ({ cleanUp }) => cleanUp),
    medians('measurement of the backlog', ({ backlog }) => backlog),
    medians('page of deliveries', ({ page }) => page),
    medians('page of failed deliveries', ({ failedPage }) => failedPage),
    limit(
      medians('page of sales', ({ salesPage }) => salesPage),
      large.salesPage.median / small.salesPage.median,
      PAGE_GROWTH,
    ),
    p95('daily figures of the large partner', ({ figures }) => figures),
    p95('daily figures of all partners', ({ allFigures }) => allFigures),
    times('dispatcher start to first postback', ({ restart }) => restart),
  ];
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

const shareText = (share: number | null): string => (share === null ? 'not measured' : `${share.toFixed(3)} of a core`);

async function measureSize(
  serverUrl: string,
  rows: number,
  { rounds, sales }: { rounds: number; sales: number },
  outer: Cleanup,
): Promise<Measured> {
  const own = new Cleanup();
  outer.add(() => own.run());
  console.log(`  a database of ${rows.toLocaleString('en')} sales`);
  const stack = await ChainStack.start(serverUrl, 'postgres', false, own);
  try {
    return await withLogs(stack, async () => {
      const { partnerId, token } = await createAccount(stack.client, 'promotion', 'SCALELARGE');
      // Stops postback-dispatcher, because its sweeps would read whole tables: the tables have no indexes while they are
      // filled.
      await stack.stopApp(DISPATCHER);
      await fillDatabase(stack.client, rows, partnerId);
      await stack.startApp(DISPATCHER);
      const chain = await measureChain(stack, rounds, sales);
      const measured = {
        ...chain,
        idle: await idleShareOf(stack),
        cleanUp: await cleanUpMs(stack),
        backlog: await backlogMeasureCost(stack),
        page: await pageCost(stack, token, 'postback/deliveries?limit=100'),
        failedPage: await pageCost(stack, token, 'postback/deliveries?limit=100&status=failed'),
        salesPage: await pageCost(stack, token, 'sales?limit=50'),
        figures: await pageCost(stack, token, `statistics?from=${daysAgo(DAYS)}`),
        allFigures: await figuresCost(stack, DAYS),
        restart: await restartMs(stack),
      };
      console.log(`  ${JSON.stringify(measured)}`);
      return measured;
    });
  } finally {
    await own.run();
  }
}

async function measureChain(
  stack: ChainStack,
  rounds: number,
  sales: number,
): Promise<Pick<Measured, 'salesPerSecond' | 'p95'>> {
  await runSales(stack, Math.min(WARM_UP, sales), { inFlight: IN_FLIGHT });
  const floods: number[] = [];
  const p95s: number[] = [];
  for (let round = 0; round < rounds; round++) {
    floods.push((await runWithCost(stack, sales, { inFlight: IN_FLIGHT })).salesPerSecond);
    p95s.push((await runSales(stack, PER_SECOND * PACED_SECONDS, { perSecond: PER_SECOND })).fromAnswer.p95);
  }
  return { salesPerSecond: median(floods), p95: median(p95s) };
}
