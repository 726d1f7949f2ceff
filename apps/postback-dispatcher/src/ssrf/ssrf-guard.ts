import type { LookupAddress } from 'node:dns';
import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIP, LookupFunction } from 'node:net';
import { isDialable } from '../address/address.rules';
import { literalAddress, parsePostbackUrl, UrlPolicy } from './postback-url.rules';
import { AddressRefusedError, NameNotResolvedError, PostbackUrlRefusedError } from './ssrf.errors';

/** Gives every address of a name; throws when it has none. */
export type Resolver = (host: string) => Promise<LookupAddress[]>;

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const dns = new DnsResolver({ timeout: 2_000, tries: 2 });

/**
 * Asks the machine's name servers directly. `dns.lookup` would ask the operating system, on one of four threads that the
 * whole process shares: a few partners with a dead name server would delay all connections.
 */
export const dnsResolver: Resolver = async (host) => {
  // RFC 6761: localhost is never asked of a name server. The policy decides whether loopback is allowed.
  if (/^(.+\.)?localhost\.?$/i.test(host)) return LOOPBACK;
  const [v4, v6] = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
};

/**
 * Keeps postbacks from reaching anything but public endpoints. The same rule is applied when a URL is saved and, since a
 * name can point elsewhere by then, at every dial; the dial goes to the very address that was checked.
 */
export class SsrfGuard {
  constructor(
    private readonly policy: UrlPolicy,
    private readonly resolve: Resolver = dnsResolver,
    private readonly resolveTimeoutMs = 5000,
  ) {}

  /**
   * Accepts a URL for saving.
   * @throws PostbackUrlRefusedError its message completes "url …"
   */
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
   * Reads a saved URL for an attempt. An address in it is checked here, because no look-up will be made for it.
   * @throws AddressRefusedError also when the rules have become stricter since it was saved
   */
  checkBeforeDial(text: string): URL {
    try {
      return parsePostbackUrl(text, this.policy);
    } catch (error) {
      if (error instanceof PostbackUrlRefusedError) throw new AddressRefusedError(text.slice(0, 100));
      throw error;
    }
  }

  /** Whether a socket to the host may be opened, if that can be decided without a look-up. */
  refusesHost(host: string): boolean {
    return isIP(host) !== 0 && !isDialable(host, this.policy);
  }

  /** For `net.connect` and `tls.connect`: only checked addresses come out, so only they can be dialled. */
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

  /** Every address of the name, when all of them pass: one private address among public ones refuses the name. */
  private async addressesOf(host: string): Promise<LookupAddress[]> {
    const addresses = await this.resolveInTime(host);
    if (addresses.length === 0) throw new NameNotResolvedError(host);
    if (!addresses.every(({ address }) => isDialable(address, this.policy))) throw new AddressRefusedError(host);
    return addresses;
  }

  private async resolveInTime(host: string): Promise<LookupAddress[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the look-up took too long')), this.resolveTimeoutMs);
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
