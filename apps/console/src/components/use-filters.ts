import { useState } from 'react';
import { useSearchParams } from 'react-router';

/**
 * Returns the parameters of the current URL. Start every change of the parameters from these: the ones that `useSearchParams` returns may lack a
 * change that is not rendered yet.
 */
export const currentParams = (): URLSearchParams => new URLSearchParams(location.search);

/**
 * Returns the filters and the cursor of a list. They are in the URL, so that a link to the page shows the same rows. Changing a filter goes back to
 * the first page.
 *
 * @param names the names of the filters
 */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams();
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])) as Record<Name, string>;
  const cursor = params.get('cursor') ?? undefined;
  /** How many times the filters were cleared. `Filters` needs this number as `round`. */
  const [round, setRound] = useState(0);
  const set = (name: Name, value: string | null): void => {
    const next = currentParams();
    next.delete('cursor');
    if (value) next.set(name, value);
    else next.delete(name);
    setParams(next, { replace: true });
  };
  const goTo = (to: string | null): void => {
    const next = currentParams();
    if (to) next.set('cursor', to);
    else next.delete('cursor');
    setParams(next);
  };
  // Keeps other parameters, such as the tab of the page.
  const clear = (): void => {
    setRound((times) => times + 1);
    const next = currentParams();
    for (const name of ['cursor', ...names]) next.delete(name);
    setParams(next, { replace: true });
  };
  return { values, cursor, set, goTo, clear, round, isFiltered: names.some((name) => values[name] !== '') };
}

/** Returns the value of a filter as an API expects it: undefined when the filter is empty. */
export const given = (value: string): string | undefined => (value === '' ? undefined : value);

/** Returns the time at which a local day begins; undefined for an empty or incomplete date. @param days how many days to add to the date */
export function dayStart(value: string, days = 0): string | undefined {
  const at = new Date(`${value}T00:00:00`);
  if (value === '' || Number.isNaN(at.getTime())) return undefined;
  at.setDate(at.getDate() + days);
  return at.toISOString();
}
