import 'reflect-metadata';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { EventServer } from '@tandem/messaging';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { AppDefinition } from './app-definition';
import type { BaseConfig } from './config/base-config';
import { loadConfig } from './config/load-config';
import {
  acceptJsonOnly,
  AllowedMethods,
  answerUnreadable,
  DtoPipe,
  ErrorFilter,
  ignoreExpectations,
  keepRequestContexts,
  refuseUnreadableBodies,
  refuseUnroutable,
  requestIdOf,
  serveOpenApi,
  skipStreamsOfHead,
} from '@tandem/http-api';
import { HealthChecks } from './health/health';
import { ConnectionDrain } from './connection-drain';
import { createLogger, PinoLogger } from './logging/logger';
import { observeRequest, startProcessMetrics } from './metrics/http-metrics';
import { startTracing } from '@tandem/tracing';

/** A listening app. */
export interface RunningApp {
  /** The URL of the app, for example `http://127.0.0.1:3000`. */
  url: string;
  nest: NestFastifyApplication;
  /**
   * Reports not ready, serves further requests for SHUTDOWN_DELAY_MS, then accepts no further connections, finishes the work in
   * flight, and closes everything.
   */
  close(): Promise<void>;
}

/**
 * Starts an app: config, logs, tracing, HTTP server, events, health, metrics, OpenAPI documents.
 *
 * @throws ConfigError when a variable is missing or invalid
 */
export async function bootstrap<C extends BaseConfig>(
  app: AppDefinition<C>,
  env: NodeJS.ProcessEnv,
): Promise<RunningApp> {
  const config = loadConfig(app.config, env);
  const logger = new PinoLogger(createLogger(app.name, config.LOG_LEVEL));
  const tracing = startTracing(app.name, config);
  const allowedMethods = new AllowedMethods();
  const filter = new ErrorFilter(app.errors, app.errorFormat, allowedMethods);
  const adapter = createAdapter(app, filter);
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const connections = new ConnectionDrain(fastify);
  prepareFastify(fastify, app, config, allowedMethods);

  const nest = await NestFactory.create<NestFastifyApplication>(app.module(config), adapter, {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  refuseUnreadableBodies(nest);
  nest.useGlobalPipes(new DtoPipe());
  nest.useGlobalFilters(filter);
  startProcessMetrics();
  serveOpenApi(nest, app.openapi, app);
  await nest.init();
  await startEvents(nest);
  await nest.listen(config.PORT, config.HOST);
  return {
    url: (await nest.getUrl()).replace('[::1]', '127.0.0.1'),
    nest,
    async close() {
      nest.get(HealthChecks).stop();
      await connections.begin(config.SHUTDOWN_DELAY_MS);
      await nest.close();
      await tracing?.stop();
    },
  };
}

const createAdapter = <C extends BaseConfig>(app: AppDefinition<C>, filter: ErrorFilter): FastifyAdapter =>
  new FastifyAdapter({
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers),
    bodyLimit: app.bodyLimitBytes ?? 65_536,
    routerOptions: { maxParamLength: 512 },
    // Many proxies close an idle connection after 60 s. The app waits longer, so that the proxy closes the connection first, and
    // sends no request on a connection that the app is closing.
    keepAliveTimeout: 72_000,
    requestTimeout: 30_000,
    // A stop must not wait for idle keep-alive connections.
    forceCloseConnections: 'idle',
    // A request on an open connection is served: its sender cannot know that the app is closing.
    return503OnClosing: false,
    // Node would answer a request without a Host header in its own format.
    http: { requireHostHeader: false },
    clientErrorHandler: answerUnreadable(app.errorFormat),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      filter.answer(error, request, reply),
  });

function prepareFastify<C extends BaseConfig>(
  fastify: FastifyInstance,
  app: AppDefinition<C>,
  config: C,
  allowedMethods: AllowedMethods,
): void {
  allowedMethods.observe(fastify);
  acceptJsonOnly(fastify);
  keepRequestContexts(fastify);
  refuseUnroutable(fastify);
  ignoreExpectations(fastify);
  skipStreamsOfHead(fastify);
  fastify.addHook('onResponse', (request, reply, done) => {
    observeRequest(request, reply);
    done();
  });
  app.onFastify?.(fastify, config);
}

/**
 * Starts the handlers of events, which run in the app's process: an app with an event server is a hybrid application of Nest. `bootstrap` calls this
 * function after `nest.init()`, because a handler may rely on everything that `onModuleInit` and `onApplicationBootstrap` prepare.
 */
async function startEvents(nest: NestFastifyApplication): Promise<void> {
  const strategy = eventServerOf(nest);
  if (!strategy) return;
  // The HTTP pipes and filters do not apply to events: the dispatcher decodes, validates, and decides what an error means.
  nest.connectMicroservice({ strategy }, { inheritAppConfig: false });
  await nest.startAllMicroservices();
}

/**
 * Returns the app's event server; undefined for an app without events. The existence of the provider is checked first, because Nest
 * logs an error when a requested provider does not exist.
 */
function eventServerOf(nest: NestFastifyApplication): EventServer | undefined {
  const modules = [...nest.get(ModulesContainer).values()];
  if (!modules.some(({ providers }) => providers.has(EventServer))) return undefined;
  return nest.get(EventServer, { strict: false });
}
