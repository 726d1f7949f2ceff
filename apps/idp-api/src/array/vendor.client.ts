import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { inClientSpan } from '@tandem/tracing';
import { Agent, type Dispatcher, errors } from 'undici';
import { IdpApiConfig } from '../config';
import { Breaker } from './vendor-breaker';
import { exchange, ExchangeTimeoutError } from './vendor-exchange';
import { VendorError, VendorRefusedError, VendorRoutePausedError, VendorTimeoutError } from './vendor.errors';
import { observeCall, type VendorOutcome } from './vendor.metrics';
import type { VendorRoute } from './vendor-routes';

export interface VendorCallOptions {
  /** The time limit of the whole call, including a retry and the reading of the answer, ms. The default is `VENDOR_TIMEOUT_MS`. */
  readonly deadlineMs?: number;
  /** Called when a write is repeated because its connection broke. The vendor may then carry out both attempts. */
  readonly onRepeat?: () => void;
}

type Query = Readonly<Record<string, string | number | undefined>>;
type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Call {
  readonly route: VendorRoute;
  readonly method: 'GET' | WriteMethod;
  readonly path: string;
  readonly query: Query;
  readonly body?: object;
}

/** Codes of errors which mean that the vendor was not reached, or that the connection broke before the answer was complete. */
const CONNECTION_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** The size limit of an answer. A larger answer is not read to its end, because it could fill the memory; it counts as a failure of the vendor. */
export const MAX_ANSWER_BYTES = 10 * 1024 * 1024;

/**
 * The HTTP client of the identity vendor, with keep-alive connections, a deadline for each call, and a breaker and metrics for each route.
 */
@Injectable()
export class VendorClient implements OnApplicationShutdown {
  private readonly logger = new Logger('vendor');
  private readonly agent = new Agent({
    connect: { timeout: 3_000 },
    keepAliveTimeout: 30_000,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
  private readonly breakers = new Map<VendorRoute, Breaker>();

  private readonly url: URL;
  /** The path of `VENDOR_URL` without a trailing slash. The path of every call begins with it. */
  private readonly basePath: string;

  private readonly headers: Readonly<Record<string, string>>;

  /** The breaker counts a timeout as a failure of the vendor only if the call had at least this much time, ms. */
  private readonly fairMs: number;

  constructor(private readonly config: IdpApiConfig) {
    this.fairMs = Math.min(config.VENDOR_TIMEOUT_MS, config.DASHBOARD_SECTION_TIMEOUT_MS) * 0.9;
    this.headers = { 'x-array-server-token': config.VENDOR_SERVER_TOKEN };
    this.url = new URL(config.VENDOR_URL);
    this.basePath = this.url.pathname.replace(/\/+$/, '');
  }

  /**
   * Closes the connections. This must not happen earlier in the shutdown, because requests and workers that are still finishing call the
   * vendor.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }

  /**
   * Makes a read call. The call is retried once within the deadline if the connection broke or was refused.
   *
   * @param path below `VENDOR_URL`
   * @returns the answer's JSON, unchecked; null for 404; undefined for an answer without a body
   * @throws VendorError when the vendor fails or the route's breaker is open
   * @throws VendorRefusedError when the vendor refuses the call
   * @throws VendorTimeoutError when the vendor does not answer in time
   */
  get<T>(route: VendorRoute, path: string, query: Query = {}, options: VendorCallOptions = {}): Promise<T | null> {
    return this.call<T>(
      { route, method: 'GET', path, query: { appKey: this.config.VENDOR_APP_KEY, ...query } },
      options,
    );
  }

  /**
   * Makes a write call. PUT and DELETE are retried once within the deadline if the connection broke or was refused.
   *
   * @param body sent in addition to `appKey`; a DELETE has no body
   * @returns the same as `get`
   * @throws like `get`
   */
  send<T>(
    route: VendorRoute,
    method: WriteMethod,
    path: string,
    body: object = {},
    options: VendorCallOptions = {},
  ): Promise<T | null> {
    const appKey = this.config.VENDOR_APP_KEY;
    if (method === 'DELETE') return this.call<T>({ route, method, path, query: { appKey } }, options);
    return this.call<T>({ route, method, path, query: {}, body: { appKey, ...body } }, options);
  }

  private async call<T>(
    call: Call,
    { deadlineMs = this.config.VENDOR_TIMEOUT_MS, onRepeat }: VendorCallOptions,
  ): Promise<T | null> {
    const { route } = call;
    const breaker = this.breakerOf(route);
    const startedAt = performance.now();
    const end = (outcome: VendorOutcome): void => observeCall(route, outcome, (performance.now() - startedAt) / 1000);
    if (deadlineMs <= 0) throw new VendorTimeoutError(route);
    const admitted = breaker.admit();
    if (!admitted) {
      end('open');
      throw new VendorRoutePausedError(route);
    }
    try {
      const answer = await this.exchange<T>(call, startedAt + deadlineMs, onRepeat);
      admitted.succeed();
      end(answer === null ? 'not_found' : 'ok');
      return answer;
    } catch (error) {
      if (error instanceof VendorRefusedError) admitted.succeed();
      else if (error instanceof VendorTimeoutError && deadlineMs < this.fairMs) admitted.abandon();
      else admitted.fail();
      end(error instanceof VendorTimeoutError ? 'timeout' : 'error');
      throw error;
    }
  }

  /**
   * Makes a call. Repeats it once if the connection broke or was refused, except for a POST.
   * @param endsAt a time of `performance.now()`
   */
  private async exchange<T>(call: Call, endsAt: number, onRepeat?: () => void): Promise<T | null> {
    const { route, method } = call;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt<T>(call, endsAt - performance.now());
      } catch (error) {
        if (error instanceof ExchangeTimeoutError) throw new VendorTimeoutError(route);
        if (error instanceof VendorError) throw error;
        const { code = 'unknown', message } = error as Error & { code?: string };
        const isBroken = CONNECTION_ERRORS.has(code) || error instanceof errors.SocketError;
        if (attempt === 1 && isBroken && method === 'GET') continue;
        if (attempt === 1 && isBroken && (method === 'PUT' || method === 'DELETE')) {
          onRepeat?.();
          continue;
        }
        this.logger.warn({ msg: 'vendor.failed', route, method, code, reason: message });
        throw new VendorError(route, code, { cause: error });
      }
    }
  }

  private async attempt<T>({ route, method, path, query, body }: Call, timeoutMs: number): Promise<T | null> {
    const { headers } = this;
    const request: Dispatcher.DispatchOptions = {
      origin: this.url.origin,
      path: this.pathOf(path, query),
      method,
      headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
      body: body ? JSON.stringify(body) : null,
    };
    const outgoing = { method, target: `vendor/${route}`, url: this.url, peer: 'identity-vendor' };
    // The request has no `traceparent`, because the vendor must not get our trace ids.
    const { status, text } = await inClientSpan(outgoing, () => exchange(this.agent, request, timeoutMs));
    if (status === 404) return null;
    if (status < 200 || status >= 300) {
      this.logger.warn({ msg: 'vendor.failed', route, method, status });
      throw statusError(route, status);
    }
    return parse<T>(route, text);
  }

  private pathOf(path: string, query: Query): string {
    let search = '';
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search += `${search === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
    }
    return `${this.basePath}${path}${search}`;
  }

  private breakerOf(route: VendorRoute): Breaker {
    let breaker = this.breakers.get(route);
    if (!breaker) this.breakers.set(route, (breaker = new Breaker()));
    return breaker;
  }
}

/** The 4xx statuses that count as failures of the vendor. Any other 4xx status, except 404, means that the vendor refused the call. */
const OF_THE_SERVER = new Set([401, 403, 408, 425, 429]);

function statusError(route: VendorRoute, status: number): VendorError {
  const isRefused = status >= 400 && status < 500 && !OF_THE_SERVER.has(status);
  return isRefused ? new VendorRefusedError(route, status) : new VendorError(route, `status ${status}`);
}

function parse<T>(route: VendorRoute, text: string): T {
  try {
    return (text === '' ? undefined : JSON.parse(text)) as T;
  } catch (cause) {
    throw new VendorError(route, 'no JSON', { cause });
  }
}
