import type { WireRequest } from './wire';

/** A request that mutations change before it is sent. The names and values of its headers are sent unchanged. */
export interface Draft {
  readonly method: string;
  /** Path and query, encoded. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
}

/** Returns the bytes of the request, with a Host, a Content-Length if it has a body, and `Connection: close`. */
export const serialized = (draft: Draft): Buffer =>
  Buffer.concat([head(draft, lengthOf(draft)), draft.body ?? Buffer.alloc(0)]);

/**
 * Returns the bytes before the body.
 * @param framing the headers that delimit the body
 * @param connection `keep-alive` if another request follows on the connection
 */
export function head(
  { method, target, headers }: Draft,
  framing: Draft['headers'],
  connection: 'close' | 'keep-alive' = 'close',
): Buffer {
  const lines = [['host', 'localhost'] as const, ...headers, ...framing, ['connection', connection] as const];
  return raw([`${method} ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)]);
}

/** Returns lines as the bytes of a request's head, with an empty line after them. */
export const raw = (lines: readonly string[]): Buffer => Buffer.from([...lines, '', ''].join('\r\n'), 'latin1');

export const lengthOf = ({ body }: Draft): Draft['headers'] => (body ? [['content-length', String(body.length)]] : []);

export const plain = (draft: Draft): WireRequest => ({ parts: [serialized(draft)] });

export const withHeader = (draft: Draft, ...headers: Draft['headers']): Draft => ({
  ...draft,
  headers: [...draft.headers, ...headers],
});

/** Returns the draft with a header that replaces all headers of the same name. @param name in lower case */
export const replacing = (draft: Draft, name: string, value: string): Draft => ({
  ...draft,
  headers: [...draft.headers.filter(([other]) => other.toLowerCase() !== name), [name, value]],
});

/** Returns the draft with more parameters appended to its query. */
export const withQuery = (draft: Draft, query: string): Draft => ({
  ...draft,
  target: `${draft.target}${draft.target.includes('?') ? '&' : '?'}${query}`,
});
