import type { LookupAddress } from 'node:dns';
import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIP, LookupFunction } from 'node:net';
import { isDialable } from '../address/address.rules';
import { literalAddress, parsePostbackUrl, UrlPolicy } from './postback-url.rules';
import { AddressRefusedError, NameNotResolvedError, PostbackUrlRefusedError } from './ssrf.errors';

/** Returns the addresses of a host name. Throws, or returns an empty list, if the name has no address. */
export type Resolver = (host: string) => Promise<LookupAddress[]>;

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const dns = new DnsResolver({ timeout: 2_000, tries: 2 });

/**
 * Queries the machine's name servers directly. `dns.lookup` would use the operating system's resolver on one of four threads that the whole
 * process shares. A few partners with a dead name server would then delay all connections.
 */
export const dnsResolver: Resolver = async (host) => {
  // According to RFC 6761, name servers should not be queried for localhost. The address policy decides whether loopback is allowed.
  if (/^(.+\.)?localhost\.?$/i.test(host)) return LOOPBACK;
  const [v4, v6] = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
};

/**
 * Prevents postbacks from reaching addresses that are not public. The same check runs when a URL is saved and whenever a connection is
 * opened, because the host name may have another address by then. The connection goes only to an address that was just checked.
 */
export class SsrfGuard {
  constructor(
    private readonly policy: UrlPolicy,
    private readonly resolve: Resolver = dnsResolver,
    private readonly resolveTimeoutMs = 5000,
  ) {}

  /** Checks a URL that is to be saved. @throws PostbackUrlRefusedError with a message that completes the sentence "url …" */
  async checkOnSave(text: string): Promise<void> {
    const url = parsePostbackUrl(text, this.policy);
    if (literalAddress(url) !== null) return;
    try {
      await this.addressesOf(url.hostname);
    } catch (error) {
      if (error instanceof AddressRefusedError) {
        throw new PostbackUrlRefusedError('must have a publicly reachable address');
      }
      throw new PostbackUrlRefusedError('has a host name that does not resolve');
    }
  }

  /**
   * Parses a saved URL for an attempt. If its host is an IP address, this method checks the address, because there will be no DNS lookup
   * that would check it.
   * @throws AddressRefusedError when the URL is refused, for example because the rules have become stricter since it was saved
   */
  checkBeforeDial(text: string): URL {
    try {
      return parsePostbackUrl(text, this.policy);
    } catch (error) {
      if (error instanceof PostbackUrlRefusedError) throw new AddressRefusedError(text.slice(0, 100));
      throw error;
    }
  }

  /** Returns whether the host is a refused IP address. Returns false for a name, because `lookup` checks the addresses of names. */
  refusesHost(host: string): boolean {
    return isIP(host) !== 0 && !isDialable(host, this.policy);
  }

  /**
   * The `lookup` function for `net.connect` and `tls.connect`. It returns only checked addresses, so a connection cannot go to any other
   * address.
   */
  readonly lookup: LookupFunction = (host, options, callback) => {
    this.addressesOf(host).then(
      (addresses) => {
        const fitting = options.family ? addresses.filter(({ family }) => family === options.family) : addresses;
        const first = fitting[0];
        if (first === undefined) callback(new NameNotResolvedError(host), '', 0);
        else if (options.all) callback(null, fitting);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };

  /** Returns all addresses of the name if all of them pass the check. Throws if one of them is refused, or the name does not resolve. */
  private async addressesOf(host: string): Promise<LookupAddress[]> {
    const addresses = await this.resolveInTime(host);
    if (addresses.length === 0) throw new NameNotResolvedError(host);
    if (!addresses.every(({ address }) => isDialable(address, this.policy))) throw new AddressRefusedError(host);
    return addresses;
  }

  private async resolveInTime(host: string): Promise<LookupAddress[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the DNS lookup took too long')), this.resolveTimeoutMs);
    });
    try {
      return await Promise.race([this.resolve(host), late]);
    } catch (error) {
      throw new NameNotResolvedError(host, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}
