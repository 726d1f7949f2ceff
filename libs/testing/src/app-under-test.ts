import { createHash } from 'node:crypto';
import type { TestDatabase } from './test-database';

/** A running app, as `bootstrap` of service-defaults returns it. */
export interface RunningProcess {
  readonly url: string;
  close(): Promise<void>;
}

/** The answer to a request. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- any answer of the API; null without a body
  body: any;
}

export interface RequestOptions {
  /** Bearer token; no `Authorization` if omitted or null. */
  token?: string | Promise<string> | null;
  /** The body, which is sent as JSON; a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends one request over real HTTP. The answer's body, if any, is read as JSON. */
export async function sendRequest(method: string, url: string, options: RequestOptions = {}): Promise<Answer> {
  const { token = null, body, headers } = options;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${await token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
}

/** What the tests of every app need: its process, its database, requests, and the events that it published. */
export class AppUnderTest<Running extends RunningProcess> {
  /**
   * @param schema the app's schema, which contains the outbox
   * @param ownsDatabase whether `stop` drops the database; false for a further replica
   */
  constructor(
    readonly running: Running,
    readonly database: TestDatabase,
    private readonly schema: string,
    private readonly ownsDatabase = true,
  ) {}

  async stop(): Promise<void> {
    await this.running.close();
    if (this.ownsDatabase) await this.database.drop();
  }

  /** @param path begins with `/` */
  sendRequest(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return sendRequest(method, this.running.url + path, options);
  }

  /**
   * The data of the events that the app published, whether they are still in the outbox or already on the Postgres
   * bus.
   *
   * @param keyPrefix a prefix of the events' keys, such as a whole id
   */
  async published<T = Record<string, unknown>>(topic: string, keyPrefix: string): Promise<T[]> {
    const events = await this.database.publishedEvents(this.schema, topic, keyPrefix);
    return events.map(({ data }) => data as T);
  }
}

/**
 * Returns the name of an app's template database. The name changes with the migrations and all other contents, so that an outdated
 * template is never used.
 *
 * @param parts everything that determines the contents, for example migration classes, which are compared by their source text
 */
export const templateOf = (app: string, ...parts: readonly unknown[]): string =>
  `${app}:${createHash('sha256').update(parts.flat().map(String).join()).digest('hex')}`;
