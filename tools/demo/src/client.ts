import type { Narrator } from './narrator';

/** An answer; its body is parsed when it is JSON, else text. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

export interface Call {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Neither printed, for requests that only look. */
  silent?: boolean;
}

const TIMEOUT_MS = 30_000;

/** Sends requests and tells about them. Tokens and secrets are not printed. */
export class Client {
  constructor(private readonly narrator: Narrator) {}

  /** @throws when nobody answers, naming the URL */
  async call(method: string, url: string, { token, body, headers = {}, silent = false }: Call = {}): Promise<Answer> {
    if (!silent) this.narrator.sent(`${method} ${url}`, redact(body));
    const answer = await send(
      method,
      url,
      {
        ...headers,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      typeof body === 'string' ? body : JSON.stringify(body),
    );
    if (!silent) this.narrator.received(String(answer.status), isHtml(answer) ? 'a page' : redact(answer.body));
    return answer;
  }
}

async function send(method: string, url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  try {
    const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text), text };
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    throw new Error(`${method} ${url} got no answer: ${cause?.code ?? (error as Error).message}`, { cause: error });
  }
}

const isHtml = ({ headers }: Answer): boolean => headers.get('content-type')?.includes('text/html') ?? false;

function parse(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Secrets in short, and long texts too. */
function redact(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > 160 ? `${value.slice(0, 120)}… (${value.length} characters)` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redact);
  const secret = /^(token|key|signingSecret)$/;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      secret.test(name) && typeof entry === 'string' ? `${entry.slice(0, 12)}…` : redact(entry),
    ]),
  );
}
