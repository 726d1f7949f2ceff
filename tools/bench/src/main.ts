import { measureBacklogs } from './delivery/backlog';
import { measureChain } from './delivery/chain';
import { measureIsolation } from './delivery/isolation';
import { measureLatency } from './delivery/latency';
import { measureThroughput } from './delivery/throughput';
import { measureCreation } from './partner/creation';
import { measurePages } from './partner/pages';
import { measureCheckoutRate, measurePageRate } from './partner/rates';
import { Cleanup } from './processes/child';
import { startPostgres } from './processes/postgres';
import { Figure, printReport } from './report';

/** `codes` is for the one that fills a large table. */
type Measurement = (serverUrl: string, rounds: number, cleanup: Cleanup, codes: number) => Promise<Figure[]>;

interface Part {
  readonly letter: string;
  readonly title: string;
  readonly rounds: number;
  readonly measure: Measurement;
}

const SUITES: Readonly<Record<string, readonly Part[]>> = {
  delivery: [
    { letter: 'a', title: '20,000 deliveries over 20 endpoints', rounds: 3, measure: measureThroughput },
    { letter: 'b', title: 'row to arrival at steady rates', rounds: 3, measure: measureLatency },
    { letter: 'c', title: 'the whole chain on Kafka, 50 sales a second', rounds: 3, measure: measureChain },
    { letter: 'd', title: 'isolation: one endpoint of 100 hangs', rounds: 1, measure: measureIsolation },
    { letter: 'e', title: 'isolation: large backlogs of one endpoint of 100', rounds: 1, measure: measureBacklogs },
  ],
  partner: [
    { letter: '1', title: 'creation of 500 codes beside one raw insert', rounds: 4, measure: measureCreation },
    { letter: '2', title: 'pages of few and of very many codes', rounds: 2, measure: measurePages },
    { letter: '3', title: 'pages through the gateway beside a bare handler', rounds: 7, measure: measurePageRate },
    { letter: '4', title: 'create-checkout-url beside a bare handler', rounds: 7, measure: measureCheckoutRate },
  ],
};

const USAGE = `usage: npm run bench -- delivery [--only abcde] [--rounds N]
       npm run bench -- partner [--only 1234] [--rounds N] [--codes N]`;

interface Options {
  parts: readonly Part[];
  rounds: number | null;
  codes: number;
}

/** @throws Error with the usage */
function optionsOf([suite = '', ...args]: readonly string[]): Options {
  const options: Options = { parts: SUITES[suite] ?? [], rounds: null, codes: 10_000_000 };
  if (options.parts.length === 0) throw new Error(USAGE);
  const letters = suite === 'delivery' ? /^[abcde]+$/ : /^[1234]+$/;
  for (let index = 0; index < args.length; index += 2) {
    const value = args[index + 1] ?? '';
    if (args[index] === '--only' && letters.test(value)) {
      options.parts = options.parts.filter(({ letter }) => value.includes(letter));
    } else if (args[index] === '--rounds' && /^[1-9]\d?$/.test(value)) options.rounds = Number(value);
    else if (suite === 'partner' && args[index] === '--codes' && /^[1-9]\d{3,7}$/.test(value)) {
      options.codes = Number(value);
    } else throw new Error(USAGE);
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
    for (const { letter, title, rounds, measure } of options.parts) {
      console.log(`(${letter}) ${title}`);
      const own = new Cleanup();
      cleanup.add(() => own.run());
      figures.push(...(await measure(serverUrl, options.rounds ?? rounds, own, options.codes)));
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
