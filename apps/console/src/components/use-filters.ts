import { useSearchParams } from 'react-router';

/**
 * The filters and the place of a list, kept in the URL: a link to it shows the same. A changed filter begins with the newest again.
 *
 * @param names of the filters
 */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams();
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])) as Record<Name, string>;
  const cursor = params.get('cursor') ?? undefined;
  const set = (name: Name, value: string | null): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete('cursor');
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const goTo = (to: string | null): void =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      if (to) next.set('cursor', to);
      else next.delete('cursor');
      return next;
    });
  const clear = (): void => setParams({}, { replace: true });
  return { values, cursor, set, goTo, clear, isFiltered: names.some((name) => values[name] !== '') };
}

/** The value of a filter as an API wants it: nothing for an empty one. */
export const given = (value: string): string | undefined => (value === '' ? undefined : value);

/** The beginning of a local day as an instant; nothing for an empty or unfinished date. @param days later */
export function dayStart(value: string, days = 0): string | undefined {
  const at = new Date(`${value}T00:00:00`);
  if (value === '' || Number.isNaN(at.getTime())) return undefined;
  at.setDate(at.getDate() + days);
  return at.toISOString();
}
