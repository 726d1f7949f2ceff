import type { Socket } from 'node:net';
import { webhookKey } from '@tandem/auth';
import { Agent, buildConnector } from 'undici';
import { AddressRefusedError } from '../ssrf/ssrf.errors';
import type { SsrfGuard } from '../ssrf/ssrf-guard';
import { AttemptHandler } from './attempt-handler';
import { attemptHeaders, authorizationOf, EndpointTarget, type SigningKey } from './attempt.rules';
import type { AttemptOutcome, Postback } from './attempt-types';

export interface AttemptTimeouts {
  /** Time limit of look-up, connection and TLS. */
  readonly connectMs: number;
  /** Time limit of the whole attempt, including the answer's body. */
  readonly totalMs: number;
}

/** How long an idle connection is kept: a partner's sales come minutes or milliseconds apart, and TLS costs two round trips. */
const KEEP_ALIVE_MS = 15_000;

/** An endpoint's target with everything that its requests have in common. */
export class PreparedTarget {
  readonly authorization: string;
  /** The signing keys. There is more than one during a rotation. */
  readonly keys: readonly SigningKey[];
  private place: { readonly origin: string; readonly path: string } | undefined;

  constructor(readonly target: EndpointTarget) {
    this.authorization = authorizationOf(target);
    this.keys = target.signingSecrets.map(({ secret, until }) => ({ key: webhookKey(secret), until }));
  }

  /**
   * Parses and checks the URL of the endpoint. Later calls return the same result, because the rules do not change while the process runs.
   * @throws AddressRefusedError
   */
  placeBy(guard: SsrfGuard): { readonly origin: string; readonly path: string } {
    if (this.place === undefined) {
      const { origin, pathname, search } = guard.checkBeforeDial(this.target.url);
      this.place = { origin, path: pathname + search };
    }
    return this.place;
  }
}

/** Sends postbacks over a single keep-alive agent. Every new connection passes the SSRF guard. */
export class AttemptClient {
  private readonly agent: Agent;

  constructor(
    private readonly guard: SsrfGuard,
    private readonly timeouts: AttemptTimeouts,
    /** A CA that is trusted in addition to the default CAs. */
    certificateAuthority?: string,
  ) {
    this.agent = new Agent({
      connect: this.guardedConnector(certificateAuthority),
      // Disables undici's own time limits: each attempt has one deadline for all of its stages.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      // An endpoint's own idle timeout (`Keep-Alive: timeout=…`) takes precedence.
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
  }

  /** Makes one attempt, without following redirects. The promise never rejects: an error is an outcome too. */
  send(prepared: PreparedTarget, postback: Postback): Promise<AttemptOutcome> {
    return new Promise((resolve) => this.start(prepared, postback, resolve));
  }

  /**
   * Makes one attempt, and calls `done` once, never before this method returns. It takes a callback, because a promise costs more
   * per attempt. `done` runs in the async context that opened the shared connection.
   */
  start(prepared: PreparedTarget, postback: Postback, done: (outcome: AttemptOutcome) => void): void {
    const handler = new AttemptHandler(prepared.target, this.timeouts.totalMs, done);
    try {
      const { origin, path } = prepared.placeBy(this.guard);
      const headers = attemptHeaders(prepared, postback, new Date());
      // Uses undici's low-level dispatcher, because `undici.request` would create a stream for the answer's body, which would be most of
      // the cost.
      this.agent.dispatch({ origin, path, method: 'POST', headers, body: postback.body }, handler);
    } catch (error) {
      setImmediate(() => handler.fail(error as Error));
    }
  }

  /** Closes every connection. Requests in flight end with the stage `reset`. */
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
      // The look-up hook is not called for an IP literal, so the literal is checked here.
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

  /** Returns whether the address of the socket's peer is refused. This is a second check, in case the first check was evaded. */
  private isRefusedAddress(socket: Socket): boolean {
    if (socket.remoteAddress === undefined || !this.guard.refusesHost(socket.remoteAddress)) return false;
    socket.destroy();
    return true;
  }
}
