import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A list of IP addresses and CIDRs. An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) counts as IPv4. */
export class AddressList {
  private readonly ranges: [Address, number][];

  /** @throws Error when an entry is neither an address nor a CIDR */
  constructor(entries: readonly string[]) {
    this.ranges = entries.map((entry) => {
      const [text = ''] = entry.split('/', 1);
      // ipaddr.js also accepts old forms such as `10.1` and `010.0.0.1`, which are typing errors here.
      if (!isIP(text)) throw new Error('an entry is not an IP address');
      if (entry !== text) return asIPv4IfMapped(ipaddr.parseCIDR(entry));
      const address = ipaddr.process(text);
      return [address, address.kind() === 'ipv4' ? 32 : 128];
    });
  }

  get isEmpty(): boolean {
    return this.ranges.length === 0;
  }

  /** Whether one of the list's addresses or ranges contains this address; false for a text that is not an address. */
  has(text: string): boolean {
    if (!isIP(text)) return false;
    const address = ipaddr.process(text);
    return this.ranges.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits));
  }
}

/** Converts a range of IPv4 addresses in IPv6 form, such as `::ffff:192.0.2.0/120`, to IPv4. Returns other ranges unchanged. */
function asIPv4IfMapped([range, bits]: [Address, number]): [Address, number] {
  const isMapped = range instanceof ipaddr.IPv6 && range.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [range.toIPv4Address(), bits - 96] : [range, bits];
}

/**
 * Returns the caller's address: the socket's address or, if this is a trusted proxy, the last entry of `X-Forwarded-For`
 * that is not a trusted proxy. If all entries are trusted proxies, returns the first entry; without entries, returns the
 * socket's address. Entries to the left of the returned entry are ignored, because the caller can write them.
 */
export function callerAddress(
  socketAddress: string,
  forwardedFor: string | string[] | undefined,
  trustedProxies: AddressList,
): string {
  const hops = [forwardedFor ?? []].flat().join(',').split(',');
  let address = socketAddress;
  while (trustedProxies.has(address)) {
    const before = hops.pop()?.trim();
    if (!before) break;
    address = before;
  }
  return address;
}

/**
 * Returns what counts as one caller: an IPv4 address, or the /64 network of an IPv6 address. A single customer usually
 * has a whole /64 network. A text that is not an address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (!isIP(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}
