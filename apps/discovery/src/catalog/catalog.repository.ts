import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { EndpointView, LocationView } from './catalog.dto';

/** A location with its endpoints in the order of preference. */
export interface CatalogLocation extends LocationView {
  readonly endpoints: readonly EndpointView[];
}

/** The content of all tables at one moment. */
export interface CatalogContent {
  readonly version: string;
  readonly changedAt: Date;
  /** All locations, the most popular first. */
  readonly locations: readonly CatalogLocation[];
}

interface StateRow {
  version: string;
  changed_at: Date;
}
interface EndpointRow {
  location_id: string;
  endpoint: EndpointView;
}

/** Selects the endpoints of all locations, each as JSON. Keys without a value are omitted, as in the answers. */
const ENDPOINTS = `
  select location_id, json_strip_nulls(json_build_object(
      'type', type, 'host', host, 'ip', json_build_object('v4', host(ip_v4), 'v6', host(ip_v6)),
      'port', port, 'transport', transport, 'mtu', mtu, 'cert_dn', cert_dn,
      'auth_ip', host(auth_ip), 'auth_port', auth_port, 'obfuscation', obfuscation)) as endpoint
    from endpoint order by location_id, preference, type, host, port, transport`;

const LOCATIONS = `
  select id, name, latitude, longitude, country_code, instance_count_min, instance_count_max, is_geolocated, popularity_order,
      array(select host(ip) from location_test_ip where location_id = id order by position) as test_ips
    from location order by popularity_order, id`;

@Injectable()
export class CatalogRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the version, which changes with every change of a catalog table. */
  async version(): Promise<string> {
    return (await readState(this.dataSource.manager)).version;
  }

  /** Reads all tables in one snapshot, so that a change is seen completely or not at all. */
  read(): Promise<CatalogContent> {
    return this.dataSource.transaction('REPEATABLE READ', readContent);
  }

  /**
   * Replaces all locations with `locations`, in one transaction.
   *
   * @param version the version of the catalog to replace
   * @returns false, and changes nothing, when the catalog now has another version
   */
  replaceAll(locations: readonly CatalogLocation[], version: string): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(`set local lock_timeout = '10s'`);
      // Blocks other writers until the transaction ends. Readers are not blocked.
      await manager.query('lock table location, location_test_ip, endpoint in share row exclusive mode');
      if ((await readState(manager)).version !== version) return false;
      await manager.query('delete from location');
      for (const statement of INSERTS) await manager.query(statement, [JSON.stringify(locations)]);
      return true;
    });
  }
}

async function readState(manager: EntityManager): Promise<StateRow> {
  const [state] = await manager.query<StateRow[]>('select version, changed_at from catalog_version');
  return state as StateRow;
}

async function readContent(manager: EntityManager): Promise<CatalogContent> {
  const { version, changed_at: changedAt } = await readState(manager);
  const locations = await manager.query<LocationView[]>(LOCATIONS);
  const endpoints = new Map<string, EndpointView[]>(locations.map(({ id }) => [id, []]));
  for (const { location_id: id, endpoint } of await manager.query<EndpointRow[]>(ENDPOINTS)) {
    endpoints.get(id)?.push(endpoint);
  }
  return {
    version,
    changedAt,
    locations: locations.map((one) => ({ ...one, endpoints: endpoints.get(one.id) ?? [] })),
  };
}

/**
 * Each statement takes the whole list of locations as JSON. The `position` of a test address and the `preference` of an endpoint are their
 * places in the lists of their location, counted from 1.
 */
const INSERTS: readonly string[] = [
  `insert into location (id, name, latitude, longitude, country_code, instance_count_min, instance_count_max, is_geolocated,
       popularity_order)
     select id, name, latitude, longitude, country_code, instance_count_min, instance_count_max, is_geolocated, popularity_order
       from jsonb_populate_recordset(null::location, $1::jsonb)`,
  `insert into location_test_ip (location_id, position, ip)
     select location ->> 'id', position, ip::inet
       from jsonb_array_elements($1::jsonb) as location,
         jsonb_array_elements_text(location -> 'test_ips') with ordinality as test_ip (ip, position)`,
  `insert into endpoint (location_id, preference, type, host, ip_v4, ip_v6, port, transport, mtu, cert_dn, auth_ip, auth_port,
       obfuscation)
     select location ->> 'id', preference, endpoint ->> 'type', endpoint ->> 'host', (endpoint #>> '{ip,v4}')::inet,
         (endpoint #>> '{ip,v6}')::inet, (endpoint ->> 'port')::integer, endpoint ->> 'transport', (endpoint ->> 'mtu')::integer,
         endpoint ->> 'cert_dn', (endpoint ->> 'auth_ip')::inet, (endpoint ->> 'auth_port')::integer, endpoint ->> 'obfuscation'
       from jsonb_array_elements($1::jsonb) as location,
         jsonb_array_elements(location -> 'endpoints') with ordinality as list (endpoint, preference)`,
];
