import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureFlood, measurePaced } from './chain/chain';
import { measurePaint } from './console/paint';
import { measureBacklogs } from './delivery/backlog';
import { measureIsolation } from './delivery/isolation';
import { measureLatency } from './delivery/latency';
import { measureManyBacklogs } from './delivery/many-backlogs';
import { measureThroughput } from './delivery/throughput';
import { measureFollowing, measureList, measureUnchanged } from './discovery/discovery';
import { measureAlerts, measureDashboard, measureHangingRoute, measureProfile } from './identity/identity';
import { measurePayments, measureVendor } from './ingest/ingest';
import { measureCreation } from './partner/creation';
import { measurePages } from './partner/pages';
import { measureCheckoutRate, measurePageRate } from './partner/rates';
import { Cleanup } from './processes/child';
import { startPostgres } from './processes/postgres';
import { Figure, printReport } from './report';
import { measureScale } from './scale/scale';
import type { Settings } from './settings';

type Measurement = (serverUrl: string, rounds: number, cleanup: Cleanup, settings: Settings) => Promise<Figure[]>;

interface Part {
  readonly letter: string;
  readonly title: string;
  readonly rounds: number;
  readonly measure: Measurement;
}

const flood = (letter: string, targets: Omit<Parameters<typeof measureFlood>[0], 'letter'>): Part => ({
  letter,
  title: `flood of the whole chain on ${targets.bus}`,
  rounds: 3,
  measure: measureFlood({ letter, ...targets }),
});

const paced = (letter: string, rate: Omit<Parameters<typeof measurePaced>[0], 'letter'>): Part => ({
  letter,
  title: `the whole chain at ${rate.perSecond} sales a second on ${rate.bus}`,
  rounds: 3,
  measure: measurePaced({ letter, ...rate }),
});

const SUITES: Readonly<Record<string, readonly Part[]>> = {
  chain: [
    flood('p1', { bus: 'postgres', salesPerSecond: 600, cpuMs: 1.5 }),
    paced('p2', { bus: 'postgres', perSecond: 50, p95: 15, cpuMs: 10, commits: 9, statements: 16, idleShare: 0.05 }),
    paced('p3', { bus: 'postgres', perSecond: 200, p95: 35, cpuMs: 4.5 }),
    flood('k1', { bus: 'kafka', salesPerSecond: 500 }),
    paced('k2', { bus: 'kafka', perSecond: 50, p95: 25 }),
  ],
  scale: [{ letter: 's', title: 'the chain in a small database and in a large one', rounds: 3, measure: measureScale }],
  delivery: [
    { letter: 'a', title: '20,000 deliveries over 20 endpoints', rounds: 3, measure: measureThroughput },
    { letter: 'b', title: 'row to arrival at steady rates', rounds: 3, measure: measureLatency },
    { letter: 'd', title: 'isolation: one endpoint of 100 hangs', rounds: 1, measure: measureIsolation },
    { letter: 'e', title: 'isolation: large backlogs of one endpoint of 100', rounds: 1, measure: measureBacklogs },
    { letter: 'f', title: 'backlogs of 5,000 endpoints', rounds: 1, measure: measureManyBacklogs },
  ],
  partner: [
    { letter: '1', title: 'creation of 500 codes compared with one raw insert', rounds: 4, measure: measureCreation },
    { letter: '2', title: 'pages of few and of very many codes', rounds: 2, measure: measurePages },
    {
      letter: '3',
      title: 'pages through the gateway compared with a bare handler',
      rounds: 7,
      measure: measurePageRate,
    },
    { letter: '4', title: 'create-checkout-url compared with a bare handler', rounds: 7, measure: measureCheckoutRate },
  ],
  identity: [
    {
      letter: '1',
      title: 'the dashboard compared with a bare handler, a vendor of 20 ms',
      rounds: 5,
      measure: measureDashboard,
    },
    { letter: '2', title: 'alerts compared with a bare handler, a vendor of 20 ms', rounds: 5, measure: measureAlerts },
    { letter: '3', title: 'the profile compared with a bare handler', rounds: 5, measure: measureProfile },
    {
      letter: '4',
      title: 'dashboards on 50 connections while a route of the vendor hangs',
      rounds: 1,
      measure: measureHangingRoute,
    },
  ],
  ingest: [
    {
      letter: '1',
      title: 'purchases compared with a bare handler with one insert',
      rounds: 5,
      measure: measurePayments,
    },
    {
      letter: '2',
      title: 'pushed alerts compared with a bare handler with one insert',
      rounds: 5,
      measure: measureVendor,
    },
  ],
  discovery: [
    { letter: '1', title: 'the list of locations compared with a bare handler', rounds: 7, measure: measureList },
    { letter: '2', title: '304 for locations compared with a bare handler', rounds: 7, measure: measureUnchanged },
    { letter: '3', title: 'changes of the catalog on two replicas', rounds: 1, measure: measureFollowing },
  ],
  console: [
    { letter: '1', title: 'the first screen in a browser with a slow connection', rounds: 5, measure: measurePaint },
  ],
};

/** The options of each suite in addition to --only and --rounds. */
const OWN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  chain: ['sales', 'profile'],
  scale: ['rows', 'sales'],
  partner: ['codes'],
  identity: ['profile'],
  ingest: ['profile'],
  discovery: ['profile'],
};

const USAGE = `usage: npm run bench -- SUITE [--only PARTS] [--rounds N]
  chain     sales from the signed webhook to the postback, with the CPU time of each process
            [--sales N]: sales in a flood (10000); [--profile DIR]: writes a CPU profile of each app during one more run
  scale     the chain, clean-up, measurements and pages in a large database, compared with one of 10,000 sales (10,000 partners each)
            [--rows N]: sales, deliveries and inbox rows of the large database (10000000); [--sales N]: sales in a flood
  delivery  postback-dispatcher alone: throughput compared with a bare loop, latency, and isolation between endpoints
  partner   vouchers and checkout URLs, compared with a raw insert, with a small table and with a bare handler
            [--codes N]: codes in the large table (10000000)
  identity  dashboard, alerts and profile, compared with a bare handler, and dashboards while a route of the vendor hangs
            [--profile DIR]: writes a CPU profile of idp-api
  ingest    the intake of webhooks, compared with a bare handler with one insert; [--profile DIR]: writes a CPU profile of webhook-ingest
  discovery the list of locations compared with a bare handler, and how fast replicas follow changes; [--profile DIR]: writes a CPU profile of discovery
  console   how long a browser with a slow connection and processor takes to show the first screen of the console and of the documentation

parts:
${Object.entries(SUITES)
  .flatMap(([suite, parts]) => parts.map(({ letter, title }) => `  ${suite} ${letter}  ${title}`))
  .join('\n')}`;

interface Options {
  readonly parts: readonly Part[];
  readonly rounds: number | null;
  readonly settings: Settings;
}

/** Parses the arguments. @throws Error with the usage when they are wrong */
function optionsOf([suite = '', ...args]: readonly string[]): Options {
  const string = { type: 'string' } as const;
  try {
    const options = { only: string, rounds: string, codes: string, rows: string, sales: string, profile: string };
    const { only, rounds, profile, ...counts } = parseArgs({ args: [...args], options }).values;
    const own = Object.keys({ ...counts, ...(profile !== undefined && { profile }) });
    if (own.some((name) => !OWN_OPTIONS[suite]?.includes(name))) throw new Error('an option of another suite');
    return {
      parts: partsOf(SUITES[suite] ?? [], only),
      rounds: rounds === undefined ? null : countOf(rounds),
      settings: {
        codes: countOf(counts.codes ?? '10000000'),
        rows: countOf(counts.rows ?? '10000000'),
        sales: countOf(counts.sales ?? '10000'),
        profile: profile ?? null,
      },
    };
  } catch (error) {
    throw new Error(USAGE, { cause: error });
  }
}

/**
 * Returns the parts of a suite to measure.
 * @param only their letters, with or without commas between them; if omitted, all parts
 */
function partsOf(parts: readonly Part[], only: string | undefined): readonly Part[] {
  if (parts.length === 0) throw new Error('an unknown suite');
  if (only === undefined) return parts;
  const letter = `(?:${parts.map((part) => part.letter).join('|')})`;
  if (!new RegExp(`^${letter}(?:,?${letter})*$`).test(only)) throw new Error('an unknown part');
  return parts.filter((part) => only.includes(part.letter));
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new Error('not a count');
  return Number(text);
}

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  const { profile } = options.settings;
  if (profile !== null) mkdirSync(profile, { recursive: true });
  const cleanup = new Cleanup();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void cleanup.run().then(() => process.exit(130)));
  }
  try {
    console.log('starting a separate PostgreSQL (each commit waits for the disk)');
    const serverUrl = await startPostgres(cleanup);
    const figures: Figure[] = [];
    for (const { letter, title, rounds, measure } of options.parts) {
      console.log(`(${letter}) ${title}`);
      const own = new Cleanup();
      cleanup.add(() => own.run());
      try {
        figures.push(...(await measure(serverUrl, options.rounds ?? rounds, own, options.settings)));
      } catch (error) {
        // A part that fails does not end the run, so that the figures of the other parts are still shown.
        console.error(`(${letter}) failed: ${(error as Error).message}`);
        figures.push({ name: `(${letter}) ${title}`, value: 'failed', met: false });
      }
      await own.run();
    }
    return printReport(figures) ? 0 : 1;
  } finally {
    await cleanup.run();
  }
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.message);
    process.exit(2);
  },
);
