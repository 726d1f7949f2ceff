/** The types of endpoints. */
export const PROTOCOLS = ['lightway', 'openvpn', 'wireguard', 'proxy'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/**
 * A filter by protocols, with a bit for each, so that neither order nor repetition in a query makes a difference. {@link NO_FILTER} also
 * keeps locations without endpoints.
 */
export type ProtocolFilter = number;

export const NO_FILTER: ProtocolFilter = 0;

const bitOf = (protocol: string): number => 1 << PROTOCOLS.indexOf(protocol as Protocol);

/**
 * Reads the parameter `protocols`.
 *
 * @param parameter as parsed from the query: a list when it is repeated
 * @returns null when it is not a comma list of protocols; a duplicate protocol counts once
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
