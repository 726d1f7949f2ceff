import { measureIsolation } from './delivery/isolation';
import { measureLatency } from './delivery/latency';
import { measureThroughput } from './delivery/throughput';
import { Cleanup } from './processes/child';
import { startPostgres } from './processes/postgres';
import { Figure, printReport } from './report';

type Measurement = (serverUrl: string, rounds: number, cleanup: Cleanup) => Promise<Figure[]>;

const MEASUREMENTS: readonly { letter: string; title: string; rounds: number; measure: Measurement }[] = [
  { letter: 'a', title: '20,000 deliveries over 20 endpoints', rounds: 3, measure: measureThroughput },
  { letter: 'b', title: 'row to arrival at steady rates', rounds: 3, measure: measureLatency },
  { letter: 'd', title: 'isolation: one endpoint of 100 hangs', rounds: 1, measure: measureIsolation },
];

const USAGE = 'usage: npm run bench -- delivery [--only abcd] [--rounds N]';

/** @throws Error with the usage */
function optionsOf(args: readonly string[]): { only: string; rounds: number | null } {
  const options = { only: 'abcd', rounds: null as number | null };
  if (args[0] !== 'delivery') throw new Error(USAGE);
  for (let index = 1; index < args.length; index += 2) {
    const value = args[index + 1] ?? '';
    if (args[index] === '--only' && /^[abcd]+$/.test(value)) options.only = value;
    else if (args[index] === '--rounds' && /^[1-9]\d?$/.test(value)) options.rounds = Number(value);
    else throw new Error(USAGE);
  }
  return options;
}

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  const cleanup = new Cleanup();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void cleanup.run().then(() => process.exit(130)));
  }
  try {
    console.log('starting a PostgreSQL of its own (each commit waits for the disk)');
    const serverUrl = await startPostgres(cleanup);
    const figures: Figure[] = [];
    for (const { letter, title, rounds, measure } of MEASUREMENTS) {
      if (!options.only.includes(letter)) continue;
      console.log(`(${letter}) ${title}`);
      const own = new Cleanup();
      cleanup.add(() => own.run());
      figures.push(...(await measure(serverUrl, options.rounds ?? rounds, own)));
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
