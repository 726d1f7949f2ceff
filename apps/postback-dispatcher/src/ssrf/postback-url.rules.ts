import { isIP } from 'node:net';
import { AddressPolicy, isDialable } from '../address/address.rules';
import { PostbackUrlRefusedError } from './ssrf.errors';

/** Maximum length of a URL, in characters. */
export const MAX_URL_LENGTH = 2048;

export interface UrlPolicy extends AddressPolicy {
  /** Whether URLs must use HTTPS. Only development may turn this off. */
  readonly requireHttps: boolean;
}

/**
 * Parses a partner's URL, and refuses every URL that can be refused without a DNS lookup. The WHATWG parser normalizes every notation of an
 * address (octal, hexadecimal, one number, full-width digits, percent-encoded). The check uses the normalized address, because the
 * connection goes to this address.
 *
 * @throws PostbackUrlRefusedError
 */
export function parsePostbackUrl(text: string, policy: UrlPolicy): URL {
  if (text.length > MAX_URL_LENGTH) throw new PostbackUrlRefusedError(`is longer than ${MAX_URL_LENGTH} characters`);
  // The parser would drop tabs and line ends, trim spaces and replace backslashes. The stored URL would then differ from the URL that is
  // called.
  if (/[\p{Cc}\s\\]/u.test(text)) throw new PostbackUrlRefusedError('has spaces, control characters or backslashes');
  if (!/^https?:\/\/[^/?#]/i.test(text)) {
    throw new PostbackUrlRefusedError(`must begin with ${policy.requireHttps ? 'https://' : 'https:// or http://'}`);
  }
  if (text.includes('#')) throw new PostbackUrlRefusedError('must not have a fragment');
  if (/^[^/]*\/\/[^/?]*@/.test(text)) throw new PostbackUrlRefusedError('must not have a user or password');
  if (!URL.canParse(text)) throw new PostbackUrlRefusedError('is not a valid URL');
  const url = new URL(text);
  if (policy.requireHttps && url.protocol !== 'https:') throw new PostbackUrlRefusedError('must begin with https://');
  const address = literalAddress(url);
  if (address !== null && !isDialable(address, policy)) {
    throw new PostbackUrlRefusedError('must have a publicly reachable address');
  }
  return url;
}

/** Returns the URL's host, without brackets, if it is an IP address; null if it is a name. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}
