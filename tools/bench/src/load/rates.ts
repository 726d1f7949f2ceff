import type { Cleanup } from '../processes/child';
import type { Figure } from '../report';
import { median } from '../statistics';
import { Load, type Target } from './load';

const WARM_UP_SECONDS = 4;
const SECONDS = 4;

/** Requests in a second, a value for each round. */
export interface Rates {
  readonly app: number[];
  readonly bare: number[];
}

/** An app and a bare handler by turns, so that what else the machine does falls on both; who begins changes as well. */
export async function compare(
  cleanup: Cleanup,
  { app, rounds }: { app: string; rounds: number },
  targets: Record<keyof Rates, Target>,
): Promise<Rates> {
  const load = await Load.start(cleanup);
  const rates: Rates = { app: [], bare: [] };
  for (const side of ['bare', 'app'] as const) await load.measure(targets[side], WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['bare', 'app'] as const) : (['app', 'bare'] as const);
    for (const side of order) rates[side].push(await load.measure(targets[side], SECONDS));
    const [bare, own] = [rates.bare, rates.app].map((side) => Math.round(side.at(-1) ?? NaN));
    console.log(`  round ${round + 1}: bare handler ${bare}/s, ${app} ${own}/s`);
  }
  return rates;
}

/** @param target the least share of the bare handler's rate that the app should have */
export function figuresOf(name: string, app: string, { app: own, bare }: Rates, target: number): Figure[] {
  const ratio = median(own.map((rate, round) => rate / (bare[round] ?? NaN)));
  return [
    { name: `${name}, bare handler`, value: `${Math.round(median(bare))}/s` },
    { name: `${name}, ${app}`, value: `${Math.round(median(own))}/s` },
    {
      name: `${name}, ${app} / bare`,
      value: ratio.toFixed(2),
      target: `>= ${target.toFixed(2)}`,
      met: ratio >= target,
    },
  ];
}
