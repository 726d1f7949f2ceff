import { cpuOfProcess } from '../processes/cpu';
import type { Cleanup } from '../processes/child';
import type { Figure } from '../report';
import { median } from '../statistics';
import { Load, type Target } from './load';

/**
 * Warm-ups are repeated until the server has answered this many requests, at most MAX_WARM_UPS times. V8 compiles code
 * while it runs: with fewer requests before the measurement, each measured request would cost more CPU time.
 */
const WARM_UP_REQUESTS = 3_000;
const WARM_UP_SECONDS = 4;
const MAX_WARM_UPS = 6;
const SECONDS = 4;
const SIDES = ['bare', 'app'] as const;
type Side = (typeof SIDES)[number];

/** A measured server. */
export interface Server extends Target {
  /** The id of the server's process. If given, the CPU time of a request is measured too. */
  readonly pid?: number;
}

/** What was measured at one server. Each list has one value per round. */
interface Measured {
  /** Requests per second. */
  readonly rates: number[];
  /** The CPU milliseconds of the process per request; empty if they are not known. */
  readonly cpuMs: number[];
}

export type Rates = Readonly<Record<Side, Measured>>;

interface Options {
  /** The app's name. */
  readonly app: string;
  readonly rounds: number;
  /**
   * Called once after the rounds, with a function that sends one more load to the app. The callback runs this function
   * while the profiler is on.
   */
  readonly profile?: (work: () => Promise<unknown>) => Promise<void>;
}

/**
 * Measures an app and a bare handler in turn, so that other load on the machine affects both. Every second round begins
 * with the app.
 */
export async function compare(
  cleanup: Cleanup,
  { app, rounds, profile }: Options,
  servers: Record<Side, Server>,
): Promise<Rates> {
  const load = await Load.start(cleanup);
  const rates: Rates = { app: { rates: [], cpuMs: [] }, bare: { rates: [], cpuMs: [] } };
  for (const side of SIDES) await warmUp(load, servers[side]);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? SIDES : [...SIDES].reverse();
    for (const side of order) await measureRound(load, servers[side], rates[side]);
    console.log(`  round ${round + 1}: bare handler ${lastOf(rates.bare)}, ${app} ${lastOf(rates.app)}`);
  }
  await profile?.(() => load.measure(servers.app, SECONDS));
  return rates;
}

async function warmUp(load: Load, server: Server): Promise<void> {
  let requests = 0;
  for (let count = 0; requests < WARM_UP_REQUESTS && count < MAX_WARM_UPS; count++) {
    requests += (await load.measure(server, WARM_UP_SECONDS)).requests;
  }
}

async function measureRound(load: Load, server: Server, { rates, cpuMs }: Measured): Promise<void> {
  const cpu = (): number | null => (server.pid === undefined ? null : cpuOfProcess(server.pid));
  const before = cpu();
  const { requests, perSecond } = await load.measure(server, SECONDS);
  const after = cpu();
  rates.push(perSecond);
  if (before !== null && after !== null) cpuMs.push((after - before) / requests);
}

function lastOf({ rates, cpuMs }: Measured): string {
  const cpu = cpuMs.at(-1);
  return `${Math.round(rates.at(-1) ?? NaN)}/s${cpu === undefined ? '' : ` (${cpu.toFixed(2)} CPU ms)`}`;
}

/**
 * Returns the figures of a comparison.
 * @param target the minimum rate of the app, as a share of the bare handler's rate
 */
export function figuresOf(name: string, app: string, { app: own, bare }: Rates, target: number): Figure[] {
  const ratio = median(own.rates.map((rate, round) => rate / (bare.rates[round] ?? NaN)));
  return [
    { name: `${name}, bare handler`, value: valueOf(bare) },
    { name: `${name}, ${app}`, value: valueOf(own) },
    {
      name: `${name}, ${app} / bare`,
      value: ratio.toFixed(2),
      target: `>= ${target.toFixed(2)}`,
      met: ratio >= target,
    },
  ];
}

function valueOf({ rates, cpuMs }: Measured): string {
  const cpu = cpuMs.length > 0 ? `, ${median(cpuMs).toFixed(2)} CPU ms each` : '';
  return `${Math.round(median(rates))}/s${cpu}`;
}
