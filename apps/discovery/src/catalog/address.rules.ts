/** Returns a valid IPv6 address in the form of RFC 5952, and an IPv4 address unchanged. */
export const shortAddress = (ip: string): string =>
  ip.includes(':') ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
