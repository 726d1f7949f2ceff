import type { ReactNode } from 'react';
import { LIVE_MS } from '../api/query';
import type { components } from '../generated/manager-api';
import { timeZone, type Unit } from './periods';

type Statistics = components['schemas']['Statistics'];

/** The query parameters of a request for statistics. */
export interface Wanted {
  readonly from: string;
  readonly to: string;
  readonly by: Unit;
  readonly timeZone: string;
}

export interface FiguresProps {
  /** The part of the query key that distinguishes the data of this `load` from the data of others. */
  readonly of: readonly unknown[];
  readonly load: (wanted: Wanted) => Promise<Statistics>;
  /** The hint that is shown when there are no sales in the last 30 days. */
  readonly whenEmpty: string;
  /** Returns what is shown below the figures of the chosen period. */
  readonly below?: (wanted: Wanted) => ReactNode;
}

/** Returns the query that loads the figures of a period. */
export const figuresQuery = (
  { of, load }: Pick<FiguresProps, 'of' | 'load'>,
  { from, to, by }: Omit<Wanted, 'timeZone'>,
) => ({
  queryKey: ['statistics', ...of, from, to, by, timeZone()],
  queryFn: () => load({ from, to, by, timeZone: timeZone() }),
  refetchInterval: LIVE_MS,
});
