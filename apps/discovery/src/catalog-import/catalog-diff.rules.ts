import type { CatalogLocation } from '../catalog/catalog.repository';
import type { EndpointView } from '../catalog/catalog.dto';
import { endpointKey } from './catalog-file';

interface Counts {
  added: number;
  changed: number;
  removed: number;
}

/** What an import does to one location. */
export interface LocationChange {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly id: string;
  readonly name: string;
  /** The names of the changed fields, except `endpoints`, which is counted below. Empty unless `kind` is `changed`. */
  readonly fields: readonly string[];
  readonly endpoints: Readonly<Counts>;
  /** Whether the import changes the order of the endpoints that exist both before and after it. */
  readonly isReordered: boolean;
}

/** The sizes of the catalog before and after an import, and what the import changes. */
export interface CatalogDiff {
  readonly before: { readonly locations: number; readonly endpoints: number };
  readonly after: { readonly locations: number; readonly endpoints: number };
  readonly changes: readonly LocationChange[];
}

const SHOWN_CHANGES = 40;
/**
 * Without --allow-removals, an import may remove at most this share of the locations, and may reduce the number of endpoints by at most this
 * share.
 */
const MAX_REMOVED_SHARE = 0.5;

/** Compares two catalogs. The changes are ordered by location id. */
export function diffOf(before: readonly CatalogLocation[], after: readonly CatalogLocation[]): CatalogDiff {
  const [old, fresh] = [byId(before), byId(after)];
  const ids = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  const changes = ids.map((id) => changeOf(old.get(id), fresh.get(id))).filter((change) => change !== null);
  return { before: sizeOf(before), after: sizeOf(after), changes };
}

/** Returns whether more than half of the locations are removed, or the number of endpoints falls by more than half. */
export function removesMost({ before, after, changes }: CatalogDiff): boolean {
  const locations = changes.filter(({ kind }) => kind === 'removed').length;
  const endpoints = before.endpoints - after.endpoints;
  return locations > before.locations * MAX_REMOVED_SHARE || endpoints > before.endpoints * MAX_REMOVED_SHARE;
}

/** Describes a difference in words, one string per line: the totals, at most SHOWN_CHANGES locations, and how many more locations differ. */
export function describeDiff({ before, after, changes }: CatalogDiff): string[] {
  const count = (wanted: LocationChange['kind']): number => changes.filter(({ kind }) => kind === wanted).length;
  const locations = { added: count('added'), changed: count('changed'), removed: count('removed') };
  const total = (kind: keyof Counts): number => sum(changes, ({ endpoints }) => endpoints[kind]);
  const endpoints = { added: total('added'), changed: total('changed'), removed: total('removed') };
  const hidden = changes.length - SHOWN_CHANGES;
  return [
    `locations: ${before.locations} → ${after.locations} (${inWords(locations)})`,
    `endpoints: ${before.endpoints} → ${after.endpoints} (${inWords(endpoints)})`,
    ...changes.slice(0, SHOWN_CHANGES).map(describeChange),
    ...(hidden > 0 ? [`… and ${hidden} more locations`] : []),
  ];
}

const SIGNS = { added: '+', changed: '~', removed: '-' };

function describeChange({ kind, id, name, fields, endpoints, isReordered }: LocationChange): string {
  const details = [
    ...(fields.length > 0 ? [fields.join(', ')] : []),
    ...(Object.values(endpoints).some((count) => count > 0) ? [`endpoints: ${inWords(endpoints)}`] : []),
    ...(isReordered ? ['endpoints in another order'] : []),
  ];
  return `${SIGNS[kind]} ${id} ${name}${details.length > 0 ? `: ${details.join('; ')}` : ''}`;
}

const inWords = (counts: Readonly<Counts>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ') || 'nothing changed';

function changeOf(old?: CatalogLocation, fresh?: CatalogLocation): LocationChange | null {
  const { id, name } = (fresh ?? old) as CatalogLocation;
  const [oldEndpoints, freshEndpoints] = [old?.endpoints ?? [], fresh?.endpoints ?? []];
  const endpoints = endpointChanges(oldEndpoints, freshEndpoints);
  const isReordered = orderOfKept(oldEndpoints, freshEndpoints) !== orderOfKept(freshEndpoints, oldEndpoints);
  const change = { id, name, endpoints, isReordered };
  if (!old) return { kind: 'added', fields: [], ...change };
  if (!fresh) return { kind: 'removed', fields: [], ...change };
  const fields = changedFields(old, fresh);
  const isSame = fields.length === 0 && !isReordered && Object.values(endpoints).every((count) => count === 0);
  return isSame ? null : { kind: 'changed', fields, ...change };
}

const changedFields = (old: CatalogLocation, fresh: CatalogLocation): string[] =>
  (Object.keys(old) as (keyof CatalogLocation)[]).filter(
    (field) => field !== 'endpoints' && JSON.stringify(old[field]) !== JSON.stringify(fresh[field]),
  );

function endpointChanges(old: readonly EndpointView[], fresh: readonly EndpointView[]): Counts {
  const texts = new Map(old.map((endpoint) => [endpointKey(endpoint), JSON.stringify(endpoint)]));
  const counts: Counts = { added: 0, changed: 0, removed: 0 };
  for (const endpoint of fresh) {
    const known = texts.get(endpointKey(endpoint));
    if (known === undefined) counts.added += 1;
    else if (known !== JSON.stringify(endpoint)) counts.changed += 1;
    texts.delete(endpointKey(endpoint));
  }
  counts.removed = texts.size;
  return counts;
}

/** Returns the keys of the endpoints that are in both lists, as one text in the order of `endpoints`. */
function orderOfKept(endpoints: readonly EndpointView[], other: readonly EndpointView[]): string {
  const kept = new Set(other.map(endpointKey));
  return endpoints
    .map(endpointKey)
    .filter((key) => kept.has(key))
    .join();
}

const byId = (locations: readonly CatalogLocation[]): Map<string, CatalogLocation> =>
  new Map(locations.map((location) => [location.id, location]));

const sizeOf = (locations: readonly CatalogLocation[]): { locations: number; endpoints: number } => ({
  locations: locations.length,
  endpoints: sum(locations, ({ endpoints }) => endpoints.length),
});

const sum = <T>(items: readonly T[], valueOf: (item: T) => number): number =>
  items.reduce((total, item) => total + valueOf(item), 0);
