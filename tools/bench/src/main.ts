import { mkdirSync } from 'node:fs';
import { readOptions, type Settings, USAGE } from '../options';
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

type Measurement = (serverUrl: string, rounds: number, cleanup: Cleanup, settings: Settings) => Promise<Figure[]>;

/** How each part of each suite is measured; options.js has the titles of the parts. */
const MEASUREMENTS: Readonly<Record<string, Readonly<Record<string, Measurement>>>> = {
  chain: {
    p1: measureFlood({ letter: 'p1', bus: 'postgres', salesPerSecond: 600, cpuMs: 1.5 }),
    p2: measurePaced({
      letter: 'p2',
      bus: 'postgres',
      perSecond: 50,
      p95: 15,
      cpuMs: 10,
      commits: 9,
      statements: 16,
      idleShare: 0.05,
    }),
    p3: measurePaced({ letter: 'p3', bus: 'postgres', perSecond: 200, p95: 35, cpuMs: 4.5 }),
    k1: measureFlood({ letter: 'k1', bus: 'kafka', salesPerSecond: 500 }),
    k2: measurePaced({ letter: 'k2', bus: 'kafka', perSecond: 50, p95: 25 }),
  },
  scale: { s: measureScale },
  delivery: {
    a: measureThroughput,
    b: measureLatency,
    d: measureIsolation,
    e: measureBacklogs,
    f: measureManyBacklogs,
  },
  partner: { 1: measureCreation, 2: measurePages, 3: measurePageRate, 4: measureCheckoutRate },
  identity: { 1: measureDashboard, 2: measureAlerts, 3: measureProfile, 4: measureHangingRoute },
  ingest: { 1: measurePayments, 2: measureVendor },
  discovery: { 1: measureList, 2: measureUnchanged, 3: measureFollowing },
  console: { 1: measurePaint },
};

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(USAGE);
    return 0;
  }
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
    for (const { letter, title, rounds } of options.parts) {
      const measure = MEASUREMENTS[options.suite]?.[letter] as Measurement;
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
