import proxy from '@fastify/http-proxy';
import type { OutageLog } from '@tandem/batching';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { type EdgeConfig, SILENCE_MS } from './config';
import { BodyBuffer, BodyTooLargeError, bufferBodies, BufferFullError } from './body-buffer';
import { addConsole } from './console-site';
import { drainConnections } from './connection-drain';
import { addDocs } from './docs-site';
import {
  MALFORMED,
  NOT_FOUND,
  PAYLOAD_TOO_LARGE,
  sendError,
  UNAVAILABLE,
  UNSUPPORTED_MEDIA_TYPE,
  URI_TOO_LONG,
} from './errors';
import { answeredHeaders, forwardedHeaders, requestIdOf } from './forwarding';
import { isDecodable, isPlainPath } from './path-guard';
import {
  acceptAllMethods,
  answerForNode,
  answerUnreadable,
  FORWARDED_METHODS,
  hasOneHost,
  keepTarget,
} from './protocol';
import { routesOf, type EdgeRoute } from './routes';
import { upstreamOutage } from './upstream-outage';
import { addWelcomePage } from './welcome.page';

/** A running edge. */
export interface RunningEdge {
  url: string;
  close(): Promise<void>;
}

/**
 * The edge closes idle connections to an app before a stopping app closes them (after its SHUTDOWN_DELAY_MS, 5 s), because a
 * request that is sent on a closing connection fails.
 */
const IDLE_MS = 4_000;

/** How long a request may take to arrive, including its body. */
const ARRIVAL_MS = 60_000;

/** Maximum duration of a stop: npm start waits longer for its processes. */
const STOP_MS = 15_000;

/** The limit for all buffered bodies together: 256 bodies of the largest size. */
const BUFFERED_BYTES = 64 * 1024 * 1024;

/** Limits that tests change. */
export interface EdgeLimits {
  readonly stopMs: number;
  readonly bufferedBytes: number;
}

/** Starts the router in front of the apps: one base URL for all of them. */
export async function startEdge(
  config: EdgeConfig,
  { stopMs = STOP_MS, bufferedBytes = BUFFERED_BYTES }: Partial<EdgeLimits> = {},
): Promise<RunningEdge> {
  const app = fastify({
    // The proxy logs a warning per failure; the edge's own log line replaces it.
    logger: { level: 'error' },
    genReqId: (request) => requestIdOf(request.headers),
    // This time is longer than the keep-alive of common clients, so that no client sends on a closing connection.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    // A request that arrives on a busy connection is served: its sender cannot know that the connection will close.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096 },
    requestTimeout: ARRIVAL_MS,
    // Node would answer a request without a Host in its own form.
    http: { requireHostHeader: false },
    frameworkErrors: (error, request, reply) =>
      sendError(request, reply, error.statusCode === 414 ? URI_TOO_LONG : MALFORMED),
    clientErrorHandler: answerUnreadable,
  });
  acceptAllMethods(app);
  answerForNode(app);
  drainConnections(app, stopMs);
  app.addHook('onRequest', async (request, reply) => {
    keepTarget(request.raw);
    reply.header('x-request-id', request.id);
    const url = request.raw.url ?? '';
    if (!hasOneHost(request.raw) || !isDecodable(url)) sendError(request, reply, MALFORMED);
    else if (!isPlainPath(url)) sendError(request, reply, NOT_FOUND);
  });
  app.setNotFoundHandler((request, reply) => sendError(request, reply, NOT_FOUND));
  addWelcomePage(app, config);
  await addConsole(app, config.console ?? { issuer: '', clientId: '', scope: '' });
  await addDocs(app);
  const log = app.log.child({}, { level: 'info' });
  const buffer = new BodyBuffer(bufferedBytes);
  const outages = new Map<string, OutageLog>();
  for (const route of routesOf(config)) {
    const outage = outages.get(route.upstream) ?? upstreamOutage(route.upstream, log);
    outages.set(route.upstream, outage);
    await forward(app, route, outage, buffer);
  }

  await app.listen({ host: config.host, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://${config.host}:${port}`, close: () => app.close() };
}

async function forward(
  app: FastifyInstance,
  { prefix, only, upstream, bodyLimitBytes }: EdgeRoute,
  outage: OutageLog,
  buffer: BodyBuffer,
): Promise<void> {
  await app.register(async (scope) => {
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      if (error instanceof BodyTooLargeError) return sendError(request, reply, PAYLOAD_TOO_LARGE);
      if (error instanceof BufferFullError) return sendError(request, reply, UNAVAILABLE);
      if (error.statusCode === 415) return sendError(request, reply, UNSUPPORTED_MEDIA_TYPE);
      if (error.statusCode && error.statusCode < 500) return sendError(request, reply, MALFORMED);
      // Streams of a client that has left fail. Nobody reads the answer, and it is no failure of an app.
      if (!request.raw.socket.destroyed) request.log.error(error);
      return sendError(request, reply, UNAVAILABLE);
    });
    // Checked here for two reasons: an app that refuses a large body closes the connection during it, which looks like an outage;
    // and the rest of the body must be read, or the client receives a reset instead of the answer.
    scope.addHook('onRequest', (request, reply, done) => {
      if (Number(request.headers['content-length'] ?? 0) <= bodyLimitBytes) return done();
      request.raw.resume();
      sendError(request, reply, PAYLOAD_TOO_LARGE);
    });
    bufferBodies(scope, buffer, bodyLimitBytes);
    // Fastify's own parsers of JSON and text would take precedence over the proxy's, which forwards every body unchanged.
    scope.removeAllContentTypeParsers();
    await scope.register(proxy, {
      upstream,
      prefix,
      rewritePrefix: prefix,
      ...(only && { routes: only }),
      httpMethods: FORWARDED_METHODS,
      // Bodies are forwarded byte by byte: signatures are computed over these bytes.
      proxyPayloads: true,
      undici: {
        connections: 256,
        pipelining: 1,
        headersTimeout: SILENCE_MS,
        bodyTimeout: SILENCE_MS,
        keepAliveTimeout: IDLE_MS,
        keepAliveMaxTimeout: IDLE_MS,
      },
      destroyAgent: true,
      disableRequestLogging: true,
      replyOptions: {
        rewriteRequestHeaders: forwardedHeaders,
        rewriteHeaders: (headers) => {
          outage.succeeded();
          return answeredHeaders(headers);
        },
        // Without this option, the proxy would retry a GET up to ten times after a 503.
        retryDelay: () => null,
        onError: (reply, { error }) => {
          outage.failed({ reason: error.message });
          sendError(reply.request, reply, UNAVAILABLE);
        },
      },
    });
  });
}
