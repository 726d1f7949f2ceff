/** The types of endpoints. */
export const PROTOCOLS = ['lightway', 'openvpn', 'wireguard', 'proxy'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/**
 * A filter by protocols, with one bit per protocol. The order of the protocols in the query, and duplicates, therefore make no difference.
 * {@link NO_FILTER} also keeps locations without endpoints.
 */
export type ProtocolFilter = number;

export const NO_FILTER: ProtocolFilter = 0;

const bitOf = (protocol: string): number => 1 << PROTOCOLS.indexOf(protocol as Protocol);

/**
 * Reads the parameter `protocols`.
 *
 * @param parameter the value from the query, which is a list when the parameter is repeated
 * @returns the filter, in which a duplicate protocol counts once; NO_FILTER when there is no parameter; null when the parameter is
 *   repeated, or is not a comma-separated list of protocols
 */
export function protocolFilterOf(parameter: unknown): ProtocolFilter | null {
  if (parameter === undefined) return NO_FILTER;
  if (typeof parameter !== 'string') return null;
  let filter = NO_FILTER;
  for (const name of parameter.split(',')) {
    if (!PROTOCOLS.includes(name as Protocol)) return null;
    filter |= bitOf(name);
  }
  return filter;
}

/** Returns whether a filter keeps an endpoint. */
export const keeps = (filter: ProtocolFilter, { type }: { readonly type: Protocol }): boolean =>
  filter === NO_FILTER || (filter & bitOf(type)) !== 0;
