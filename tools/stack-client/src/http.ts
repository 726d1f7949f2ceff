import { request } from 'undici';

const TIMEOUT_MS = 30_000;

/** A request to an API of the platform or of the sandbox. */
export interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The bearer token. */
  readonly token?: string;
  /** The body: an object is sent as JSON, text is sent unchanged. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** An answer. `body` is the parsed JSON of `text`, or an empty object if `text` is not JSON. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request. @throws an error of undici when the connection fails, or no answer comes in time */
export async function call(url: string, options: Call = {}): Promise<Answer> {
  const { method = 'GET', token, body, headers, timeoutMs = TIMEOUT_MS } = options;
  const answer = await request(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, text, body: parsed(text) };
}

/** Sends a request that must succeed. @throws Error with the status and text of any other answer */
export async function callSuccessfully(url: string, options: Call = {}): Promise<Answer> {
  const answer = await call(url, options);
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Error(`${options.method ?? 'GET'} ${url}: ${answer.status} ${answer.text.slice(0, 500)}`);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
