import ipaddr from 'ipaddr.js';

/** Settings that allow endpoints at addresses that are not public. */
export interface AddressPolicy {
  /** Development only: allows 127.0.0.0/8 and ::1, but no other private addresses. */
  readonly allowLoopback: boolean;
  /** Development only: blocks that are allowed although they are not public, such as the network of containers. Default: none. */
  readonly allowedNetworks?: readonly Network[];
}

/** A block of addresses: the first address and the prefix length in bits. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses a CIDR such as `172.16.0.0/12`. @throws Error when the text is not a CIDR */
export const parseNetwork = (text: string): Network => ipaddr.parseCIDR(text);

/**
 * IPv4 blocks that are refused, because their addresses are not globally reachable unicast addresses: the blocks that the IANA IPv4
 * Special-Purpose Address Registry lists as "Globally Reachable: False" or "N/A", and the multicast block.
 */
const REFUSED_V4 = [
  '0.0.0.0/8', // "this network"
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // shared address space (CGNAT)
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link local, cloud metadata
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relay anycast, deprecated
  '192.168.0.0/16', // private use
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, limited broadcast
].map((block) => ipaddr.IPv4.parseCIDR(block));

/** Addresses inside a block of REFUSED_V4 that the IANA registry lists as globally reachable: PCP and TURN anycast. */
const GLOBAL_V4 = ['192.0.0.9/32', '192.0.0.10/32'].map((block) => ipaddr.IPv4.parseCIDR(block));

/**
 * The only block from which global IPv6 unicast addresses are assigned. An address outside this block is not a public unicast address, or
 * embeds an IPv4 address.
 */
const ASSIGNED_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Blocks inside ASSIGNED_V6 that the IANA IPv6 Special-Purpose Address Registry does not list as globally reachable. */
const REFUSED_V6 = [
  '2001::/23', // IETF protocol assignments, Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: leads to an embedded IPv4 address
  '3fff::/20', // documentation
].map((block) => ipaddr.IPv6.parseCIDR(block));

/** Blocks inside 2001::/23, a block of REFUSED_V6, that the IANA registry lists as globally reachable. */
const GLOBAL_V6 = [
  '2001:1::1/128', // PCP anycast
  '2001:1::2/128', // TURN anycast
  '2001:1::3/128', // DNS-SD service registration anycast
  '2001:3::/32', // AMT
  '2001:4:112::/48', // AS112
  '2001:20::/28', // ORCHIDv2
  '2001:30::/28', // drone remote identification
].map((block) => ipaddr.IPv6.parseCIDR(block));

/**
 * IPv4 addresses that lead to a cloud provider's own services when a machine in that cloud calls them, although the IANA registry lists
 * these addresses as global. Examples are host agents, name servers and private endpoints of the provider's APIs. Such a service would
 * treat a postback as a request from the machine that sends it.
 */
const PLATFORM_V4 = [
  '168.63.129.16/32', // Azure: host agent (WireServer), DNS, health probes
  '199.36.153.4/30', // Google Cloud: restricted.googleapis.com
  '199.36.153.8/30', // Google Cloud: private.googleapis.com
  '34.118.224.0/20', // Google Cloud: services of GKE clusters
  '34.126.0.0/18', // Google Cloud: direct connectivity to Google APIs
  '161.26.0.0/16', // IBM Cloud: infrastructure services (DNS, NTP, mirrors)
  '166.8.0.0/14', // IBM Cloud: cloud service endpoints
  '183.60.82.98/32', // Tencent Cloud: DNS
  '183.60.83.19/32', // Tencent Cloud: DNS
].map((block) => ipaddr.IPv4.parseCIDR(block));

/** IPv6 addresses that lead to a cloud provider's own services when a machine in that cloud calls them. */
const PLATFORM_V6 = [
  '2001:4860:8040::/42', // Google Cloud: direct connectivity to Google APIs
  '2600:2d00:0:2::/63', // Google Cloud: next hops of routers
  '2600:2d00:0:4::/64', // Google Cloud: services of GKE clusters
  '2600:2d00:2:1000::/56', // Google Cloud: restricted.googleapis.com
  '2600:2d00:2:2000::/56', // Google Cloud: private.googleapis.com
].map((block) => ipaddr.IPv6.parseCIDR(block));

const LOOPBACK_V4 = ipaddr.IPv4.parseCIDR('127.0.0.0/8');
const LOOPBACK_V6 = ipaddr.IPv6.parseCIDR('::1/128');

/**
 * Returns whether a connection to the address is allowed. The address must be globally reachable unicast and must not lead to a cloud
 * provider's own services, unless the policy allows the address. An address that embeds an IPv4 address (mapped, compatible, NAT64, 6to4,
 * Teredo) is refused, because this app cannot know where a translator would send the request. An endpoint with a public IPv4 address can
 * use this address directly.
 *
 * @param address in canonical form (as returned by Node's DNS functions or the WHATWG URL parser), without brackets
 */
export function isDialable(address: string, policy: AddressPolicy): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    const parsed = ipaddr.IPv4.parse(address);
    return isIn(policy.allowedNetworks, parsed) || isDialableV4(parsed, policy);
  }
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return isIn(policy.allowedNetworks, parsed) || isDialableV6(parsed, policy);
}

const isIn = (networks: readonly Network[] = [], address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  networks.some(([first, bits]) => first.kind() === address.kind() && address.match(first, bits));

function isDialableV4(address: ipaddr.IPv4, { allowLoopback }: AddressPolicy): boolean {
  if (allowLoopback && address.match(LOOPBACK_V4)) return true;
  if (PLATFORM_V4.some((block) => address.match(block))) return false;
  return GLOBAL_V4.some((block) => address.match(block)) || !REFUSED_V4.some((block) => address.match(block));
}

function isDialableV6(address: ipaddr.IPv6, { allowLoopback }: AddressPolicy): boolean {
  if (allowLoopback && address.match(LOOPBACK_V6)) return true;
  if (!address.match(ASSIGNED_V6) || PLATFORM_V6.some((block) => address.match(block))) return false;
  return GLOBAL_V6.some((block) => address.match(block)) || !REFUSED_V6.some((block) => address.match(block));
}
