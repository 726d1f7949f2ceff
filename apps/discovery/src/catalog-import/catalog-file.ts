import { type FieldProblem, fieldProblems, ListField, withoutName } from '@tandem/http-api';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { shortAddress } from '../catalog/address.rules';
import type { CatalogLocation } from '../catalog/catalog.repository';
import { EndpointView, LocationView } from '../catalog/catalog.dto';

class FileLocation extends LocationView {
  @ListField(() => EndpointView, { description: 'In the order in which to try them' })
  endpoints!: EndpointView[];
}

class CatalogFile {
  @ListField(() => FileLocation)
  locations!: FileLocation[];
}

const SHOWN_PROBLEMS = 50;

/** The file is invalid. If it is a JSON object, each problem starts with the path of the value that causes the problem. */
export class InvalidCatalogError extends Error {
  readonly code = 'invalid_catalog';

  constructor(readonly problems: readonly string[]) {
    const shown = problems.slice(0, SHOWN_PROBLEMS);
    const more = problems.length > shown.length ? [`… and ${problems.length - shown.length} more`] : [];
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super(`the file has ${count}:\n${[...shown, ...more].map((line) => `  ${line}`).join('\n')}`);
  }
}

/**
 * Reads a catalog, `{"locations":[{…,"endpoints":[…]}]}`.
 *
 * @param text JSON
 * @returns the locations, with IPv6 addresses in the form of RFC 5952
 * @throws InvalidCatalogError with one problem if `text` is not a JSON object; with one problem for each invalid field; or, if every field
 *   is valid, with all contradictions between fields
 */
export function readCatalogFile(text: string): CatalogLocation[] {
  const file = plainToInstance(CatalogFile, parse(text));
  const errors = validateSync(file, { whitelist: true, forbidNonWhitelisted: true });
  const problems = fieldProblems(errors).map(problemText);
  if (problems.length > 0) throw new InvalidCatalogError(problems);
  const contradictions = contradictionsOf(file.locations);
  if (contradictions.length > 0) throw new InvalidCatalogError(contradictions);
  return file.locations.map(normalized);
}

function parse(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new InvalidCatalogError([`it is not JSON: ${(error as Error).message}`]);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new InvalidCatalogError(['it must be an object with the list "locations"']);
}

/** Formats a problem, preceded by the path of the invalid value. */
function problemText(problem: FieldProblem): string {
  const { field, message } = problem;
  const isUnknown = message === `property ${field.slice(field.lastIndexOf('.') + 1)} should not exist`;
  return `${jsonPath(field)}: ${isUnknown ? 'is not a field of a catalog' : withoutName(problem)}`;
}

/** Converts `locations.3.endpoints.0.port` to `locations[3].endpoints[0].port`. */
const jsonPath = (field: string): string => field.replace(/\.(\d+)(?=\.|$)/g, '[$1]');

/** Returns the violations of rules that concern more than one field. */
function contradictionsOf(locations: readonly FileLocation[]): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  for (const [index, { id, instance_count_min: min, instance_count_max: max, endpoints }] of locations.entries()) {
    const path = `locations[${index}]`;
    if (ids.has(id)) problems.push(`${path}.id: ${id} appears twice`);
    ids.add(id);
    if (min > max) problems.push(`${path}.instance_count_min: must be at most instance_count_max`);
    const keys = new Set<string>();
    for (const [place, endpoint] of endpoints.entries()) {
      const key = endpointKey(endpoint);
      if (keys.has(key)) problems.push(`${path}.endpoints[${place}]: ${key} appears twice`);
      keys.add(key);
    }
  }
  return problems;
}

/** Returns a text that identifies an endpoint within its location. */
export const endpointKey = ({ type, host, port, transport }: EndpointView): string =>
  `${type} ${host}:${port}/${transport}`;

/** Normalizes a location, so that equal content gives equal JSON. */
function normalized({ endpoints, test_ips: testIps, ...location }: FileLocation): CatalogLocation {
  const { id, name, latitude, longitude, country_code, instance_count_min, instance_count_max } = location;
  const { is_geolocated, popularity_order } = location;
  return {
    id,
    name,
    latitude,
    longitude,
    country_code,
    instance_count_min,
    instance_count_max,
    is_geolocated,
    popularity_order,
    test_ips: testIps.map(shortAddress),
    endpoints: endpoints.map(normalizedEndpoint),
  };
}

function normalizedEndpoint(endpoint: EndpointView): EndpointView {
  const { type, host, ip, port, transport, mtu, cert_dn, auth_ip: authIp, auth_port, obfuscation } = endpoint;
  return {
    type,
    host,
    ip: { v4: ip.v4, ...(ip.v6 !== undefined && { v6: shortAddress(ip.v6) }) },
    port,
    transport,
    ...(mtu !== undefined && { mtu }),
    cert_dn,
    ...(authIp !== undefined && { auth_ip: shortAddress(authIp) }),
    ...(auth_port !== undefined && { auth_port }),
    ...(obfuscation !== undefined && { obfuscation }),
  };
}
