import proxy from '@fastify/http-proxy';
import type { OutageLog } from '@tandem/batching';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { type EdgeConfig, SILENCE_MS } from './config';
import { BodyBuffer, BodyTooLargeError, bufferBodies, BufferFullError } from './body-buffer';
import { addConsole } from './console-site';
import { drainConnections } from './connection-drain';
import { addDocs } from './docs-site';
import { MALFORMED, NOT_FOUND, PAYLOAD_TOO_LARGE, sendError, UNAVAILABLE, URI_TOO_LONG } from './errors';
import { answeredHeaders, forwardedHeaders, requestIdOf } from './forwarding';
import { isDecodable, isPlainPath } from './path-guard';
import {
  acceptAllMethods,
  answerForNode,
  answerUnreadable,
  FORWARDED_METHODS,
  hasOneHost,
  keepTarget,
  MEDIA_TYPE,
} from './protocol';
import { endPipelinedResponses } from './pipelined-responses';
import { routesOf, type EdgeRoute } from './routes';
import { upstreamOutage } from './upstream-outage';
import { addWelcomePage } from './welcome.page';

/** A running edge. */
export interface RunningEdge {
  url: string;
  close(): Promise<void>;
}

/**
 * The time after which the edge closes an idle connection to an app. The apps close idle connections only after 72 s. So the edge never sends
 * a request on a connection that the app is closing, which would fail.
 */
const IDLE_MS = 4_000;

/** The time within which a whole request, including its body, must arrive, ms. A slower request gets 408. */
const ARRIVAL_MS = 60_000;

/** The maximum duration of a stop. `npm start` kills a process that has not ended after 15 s. */
const STOP_MS = 12_000;

/** The limit for all buffered bodies together: 256 bodies of the largest size. */
const BUFFERED_BYTES = 64 * 1024 * 1024;

/** Limits that tests can lower. */
export interface EdgeLimits {
  readonly stopMs: number;
  readonly bufferedBytes: number;
}

/** Starts the edge: a proxy that serves all public apps under one base URL. */
export async function startEdge(
  config: EdgeConfig,
  { stopMs = STOP_MS, bufferedBytes = BUFFERED_BYTES }: Partial<EdgeLimits> = {},
): Promise<RunningEdge> {
  const app = fastify({
    // Suppresses the proxy's warning for each failed request, because the edge logs only the start and the end of an outage.
    logger: { level: 'error' },
    genReqId: (request) => requestIdOf(request.headers),
    // Longer than the keep-alive of common clients, so that the client closes an idle connection first, and never sends a request on a connection
    // that the edge is closing.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    // Serves a request that arrives on an open connection during a stop, because its sender cannot know about the stop.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096 },
    requestTimeout: ARRIVAL_MS,
    // The edge itself checks the Host header, because Node would answer in its own form.
    http: { requireHostHeader: false },
    frameworkErrors: (error, request, reply) =>
      sendError(request, reply, error.statusCode === 414 ? URI_TOO_LONG : MALFORMED),
    clientErrorHandler: answerUnreadable,
  });
  acceptAllMethods(app);
  answerForNode(app);
  drainConnections(app, stopMs);
  endPipelinedResponses(app);
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
      if (error.statusCode && error.statusCode < 500) return sendError(request, reply, MALFORMED);
      // When the client has disconnected, its streams fail. This is not a failure of an app, so it is not logged.
      if (!request.raw.socket.destroyed) request.log.error(error);
      return sendError(request, reply, UNAVAILABLE);
    });
    // Checks the size here for two reasons. First, an app that refuses a large body closes the connection while the body arrives, which looks like an
    // outage. Second, the whole body must be read: otherwise the client gets a connection reset instead of the answer.
    scope.addHook('onRequest', (request, reply, done) => {
      if (Number(request.headers['content-length'] ?? 0) <= bodyLimitBytes) return done();
      request.raw.resume();
      sendError(request, reply, PAYLOAD_TOO_LARGE);
    });
    // Fastify would answer 415 to a content type that is not valid. The app decides this, after it has checked the credentials.
    scope.addHook('onRequest', async ({ headers }) => {
      const type = headers['content-type'];
      if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
    });
    bufferBodies(scope, buffer, bodyLimitBytes);
    // Removes Fastify's parsers of JSON and text. They would take precedence over the proxy's parser, which forwards a body unchanged.
    scope.removeAllContentTypeParsers();
    await scope.register(proxy, {
      upstream,
      prefix,
      rewritePrefix: prefix,
      ...(only && { routes: only }),
      httpMethods: FORWARDED_METHODS,
      // Forwards the exact bytes of bodies, because signatures are computed over them.
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
