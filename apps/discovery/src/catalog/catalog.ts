import { PreparedAnswer } from '@tandem/http-api';
import { keeps, NO_FILTER, type ProtocolFilter } from './protocols.rules';
import type { CatalogContent, CatalogLocation } from './catalog.repository';

const LOCATIONS_SECONDS = 600;
const INSTANCES_SECONDS = 60;

/**
 * The catalog at one moment, with the prepared answers. A `Catalog` never changes: after a change of the tables, a new `Catalog` replaces it.
 */
export class Catalog {
  readonly version: string;
  private readonly lists = new Map<ProtocolFilter, PreparedAnswer>();
  private readonly byId: ReadonlyMap<
    string,
    { location: CatalogLocation; answers: Map<ProtocolFilter, PreparedAnswer> }
  >;

  constructor(private readonly content: CatalogContent) {
    this.version = content.version;
    this.byId = new Map(content.locations.map((location) => [location.id, { location, answers: new Map() }]));
  }

  /** Returns the locations with at least one endpoint that passes the filter; with NO_FILTER, all locations. */
  locations(filter: ProtocolFilter): PreparedAnswer {
    return remembered(this.lists, filter, () => {
      const kept = this.content.locations.filter(
        ({ endpoints }) => filter === NO_FILTER || endpoints.some((endpoint) => keeps(filter, endpoint)),
      );
      return prepare({ locations: kept.map(withoutEndpoints) }, LOCATIONS_SECONDS);
    });
  }

  /** Returns the endpoints of a location that pass the filter; null when the location does not exist. */
  instances(locationId: string, filter: ProtocolFilter): PreparedAnswer | null {
    const known = this.byId.get(locationId);
    if (!known) return null;
    const { location, answers } = known;
    return remembered(answers, filter, () => {
      const endpoints = location.endpoints.filter((endpoint) => keeps(filter, endpoint));
      return prepare({ location_id: locationId, endpoints }, INSTANCES_SECONDS);
    });
  }
}

/** @param maxAgeSeconds how long a client may use the answer from its cache */
const prepare = (value: object, maxAgeSeconds: number): PreparedAnswer =>
  new PreparedAnswer(Buffer.from(JSON.stringify(value)), {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': `private, max-age=${maxAgeSeconds}`,
    vary: 'Authorization',
  });

const withoutEndpoints = ({ endpoints: _, ...location }: CatalogLocation): object => location;

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make()));
  return value;
}
