/** Names and addresses that always mean this machine. */
const LOOPBACK = /^(localhost|(.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the URL to which postbacks are forwarded. Short forms such as `3000`, `3000/tandem` and `localhost:3000` are completed.
 *
 * @throws TypeError for a text that is not an HTTP URL, for a URL with a user or a password, and for another machine unless
 *   `allowRemote` is true
 */
export function targetOf(text: string, { allowRemote = false } = {}): URL {
  const withHost = /^\d+(\/|$)/.test(text) ? `127.0.0.1:${text}` : text;
  const url = parsed(withHost.includes('://') ? withHost : `http://${withHost}`);
  // A text that has no scheme, no port and no dot, such as `abc`, is probably a mistyped port, and not the name of another machine.
  const isWord = !text.includes(':') && !/[.:]/.test(url?.hostname ?? '') && !LOOPBACK.test(url?.hostname ?? '');
  if (url === undefined || isWord || !/^https?:$/.test(url.protocol))
    throw new TypeError(`--to must be a port or an HTTP URL, such as http://127.0.0.1:3000/tandem`);
  if (url.username || url.password)
    throw new TypeError('--to must not contain a user or a password: use --authorization');
  if (!allowRemote && !LOOPBACK.test(url.hostname))
    throw new TypeError(`${url.hostname} is another machine: add --allow-remote to send postbacks there`);
  return url;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `--since`: `now`, an age such as `5m`, or a time. @returns null for now @throws TypeError */
export function sinceOf(text: string, now: number): Date | null {
  if (text === 'now') return null;
  const [, count, unit] = /^(\d{1,5})([a-z])$/.exec(text) ?? [];
  const time = unit === undefined ? Date.parse(text) : now - Number(count) * (UNITS[unit] ?? NaN);
  if (Number.isNaN(time))
    throw new TypeError('--since must be now, an age such as 30s, 5m, 2h or 1d, or a time in ISO 8601');
  return new Date(time);
}
