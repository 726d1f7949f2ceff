import type { Bus } from '../processes/apps';
import type { Cleanup } from '../processes/child';
import type { Figure } from '../report';
import type { Settings } from '../../options';
import { floodFigures, floodText, type FloodTargets, pacedFigures, type PacedTargets, pacedText } from './figures';
import { profileApps } from './profile';
import { type Cost, type Run, runSales, runWithCost } from './round';
import { ChainStack } from './stack';
import { countStatements } from './statements';

/**
 * How many sales warm up a new stack before a flood. A smaller flood has a warm-up of its own size. V8 optimizes the
 * code of a new process only after a few thousand sales.
 */
const FLOOD_WARM_UP = 3_000;
const IN_FLIGHT = 64;
const PACED_WARM_UP_SECONDS = 15;
const PACED_SECONDS = 15;

interface FloodPart extends FloodTargets {
  readonly letter: string;
  readonly bus: Bus;
}

interface PacedPart extends PacedTargets {
  readonly letter: string;
  readonly bus: Bus;
  readonly perSecond: number;
}

type Measure = (serverUrl: string, rounds: number, cleanup: Cleanup, settings: Settings) => Promise<Figure[]>;

/**
 * Measures the maximum throughput, from the first webhook to the last postback, and the cost of a sale. The number of
 * webhooks in flight is fixed.
 */
export const measureFlood =
  (part: FloodPart): Measure =>
  async (serverUrl, rounds, cleanup, { sales, profile }) => {
    const stack = await ChainStack.start(serverUrl, part.bus, profile !== null, cleanup);
    return withLogs(stack, async () => {
      const pace = { inFlight: IN_FLIGHT };
      await runSales(stack, Math.min(FLOOD_WARM_UP, sales), pace);
      const measured: (Run & Cost)[] = [];
      for (let round = 0; round < rounds; round++) {
        const run = await runWithCost(stack, sales, pace);
        measured.push(run);
        console.log(`  round ${round + 1}: ${floodText(run)}`);
      }
      if (profile !== null) await profileApps(stack.apps, profile, part.letter, () => runSales(stack, sales, pace));
      return floodFigures(`(${part.letter}) flood on ${part.bus}`, measured, part);
    });
  };

/**
 * Measures the latency and the cost of sales that arrive at a steady rate. The rate must be low enough for the chain to
 * keep up.
 */
export const measurePaced =
  (part: PacedPart): Measure =>
  async (serverUrl, rounds, cleanup, { profile }) => {
    const { letter, bus, perSecond } = part;
    const stack = await ChainStack.start(serverUrl, bus, profile !== null, cleanup);
    return withLogs(stack, async () => {
      await runSales(stack, perSecond * PACED_WARM_UP_SECONDS, { perSecond });
      const measured: (Run & Cost)[] = [];
      for (let round = 0; round < rounds; round++) {
        const run = await runWithCost(stack, perSecond * PACED_SECONDS, { perSecond });
        measured.push(run);
        console.log(`  round ${round + 1}: ${pacedText(run)}`);
      }
      const send = (): Promise<unknown> => runSales(stack, perSecond * PACED_SECONDS, { perSecond });
      const statements = await countStatements(stack.client, send, profile);
      if (profile !== null) await profileApps(stack.apps, profile, letter, send);
      return pacedFigures(
        `(${letter}) ${perSecond}/s on ${bus}`,
        measured,
        statements / (perSecond * PACED_SECONDS),
        part,
      );
    });
  };

/** Runs the work. @throws when the work fails; the message contains the last warnings of each app */
export async function withLogs<Result>(stack: ChainStack, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${stack.lastWarnings()}`, { cause: error });
  }
}
