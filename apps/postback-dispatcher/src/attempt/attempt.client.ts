import type { Socket } from 'node:net';
import { webhookKey } from '@tandem/auth';
import { Agent, buildConnector } from 'undici';
import { AddressRefusedError } from '../ssrf/ssrf.errors';
import type { SsrfGuard } from '../ssrf/ssrf-guard';
import { AttemptHandler } from './attempt-handler';
import { attemptHeaders, authorizationOf, EndpointTarget, type SigningKey } from './attempt.rules';
import type { AttemptOutcome, Postback } from './attempt-types';

export interface AttemptTimeouts {
  /** Time limit of DNS lookup, connection and TLS handshake, in ms. */
  readonly connectMs: number;
  /** Time limit of the whole attempt, including the answer's body, in ms. */
  readonly totalMs: number;
}

/** How long an idle connection is kept, unless the endpoint announces another time. */
const KEEP_ALIVE_MS = 15_000;

/** The URL and the credentials of an endpoint, with the parts that all requests to the endpoint share. */
export class PreparedTarget {
  readonly authorization: string;
  /** The current signing key, then replaced ones. Expired keys are left out when a request is signed. */
  readonly keys: readonly SigningKey[];
  private place: { readonly origin: string; readonly path: string } | undefined;

  constructor(readonly target: EndpointTarget) {
    this.authorization = authorizationOf(target);
    this.keys = target.signingSecrets.map(({ secret, until }) => ({ key: webhookKey(secret), until }));
  }

  /**
   * Parses and checks the endpoint's URL. The result is cached, because the rules do not change while the process runs.
   * @throws AddressRefusedError when the URL is refused
   */
  placeBy(guard: SsrfGuard): { readonly origin: string; readonly path: string } {
    if (this.place === undefined) {
      const { origin, pathname, search } = guard.checkBeforeDial(this.target.url);
      this.place = { origin, path: pathname + search };
    }
    return this.place;
  }
}

/** Sends requests to endpoints over one keep-alive agent. The SSRF guard checks every new connection. */
export class AttemptClient {
  private readonly agent: Agent;

  constructor(
    private readonly guard: SsrfGuard,
    private readonly timeouts: AttemptTimeouts,
    /** A CA that is trusted instead of the default CAs. */
    certificateAuthority?: string,
  ) {
    this.agent = new Agent({
      connect: this.guardedConnector(certificateAuthority),
      // Disables undici's time limits for the answer: each attempt has one deadline for all of its stages.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      // An endpoint's own idle timeout (`Keep-Alive: timeout=…`) takes precedence.
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
  }

  /** Makes one attempt. Does not follow redirects. The promise never rejects: an error is an outcome too. */
  send(prepared: PreparedTarget, postback: Postback): Promise<AttemptOutcome> {
    return new Promise((resolve) => this.start(prepared, postback, resolve));
  }

  /**
   * Makes one attempt, and calls `done` once. `done` may run in the async context in which the shared connection was opened. If the client
   * is closed, `done` is called before this method returns.
   */
  start(prepared: PreparedTarget, postback: Postback, done: (outcome: AttemptOutcome) => void): void {
    const handler = new AttemptHandler(prepared.target, this.timeouts.totalMs, done);
    try {
      const { origin, path } = prepared.placeBy(this.guard);
      const headers = attemptHeaders(prepared, postback, new Date());
      // Uses undici's low-level dispatcher, because `undici.request` would create a stream for the answer's body, which is expensive.
      this.agent.dispatch({ origin, path, method: 'POST', headers, body: postback.body }, handler);
    } catch (error) {
      setImmediate(() => handler.fail(error as Error));
    }
  }

  /**
   * Closes every connection. A request that was not sent yet ends with the stage `connect`. A sent request ends with the stage `reset`, or
   * `body` if its answer has begun.
   */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private guardedConnector(ca: string | undefined): buildConnector.connector {
    const connect = buildConnector({
      lookup: this.guard.lookup,
      timeout: this.timeouts.connectMs,
      autoSelectFamily: true,
      ...(ca === undefined ? {} : { ca }),
    } as buildConnector.BuildOptions);
    return (options, callback) => {
      // Node does not call the `lookup` function for an IP literal, so the literal is checked here.
      if (this.guard.refusesHost(options.hostname.replace(/^\[(.*)\]$/, '$1'))) {
        callback(new AddressRefusedError(options.hostname), null);
        return;
      }
      connect(options, (...[error, socket]) => {
        if (error) callback(error, null);
        else if (this.isRefusedAddress(socket)) callback(new AddressRefusedError(options.hostname), null);
        else callback(null, socket);
      });
    };
  }

  /**
   * Returns whether the address of the socket's peer is refused. If so, closes the socket. This is a second check, in case a request evaded
   * the first check.
   */
  private isRefusedAddress(socket: Socket): boolean {
    if (socket.remoteAddress === undefined || !this.guard.refusesHost(socket.remoteAddress)) return false;
    socket.destroy();
    return true;
  }
}
