import { Body, Controller, type DynamicModule, Get, type LoggerService, Module, Param, Post } from '@nestjs/common';
import { type CollectedSpan, eventually, JsonServer, spansOf } from '@tandem/testing';
import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { currentLogFields, defineErrors, PLAIN_FORMAT } from '@tandem/http-api';
import { inClientSpan } from '@tandem/tracing';
import { BaseConfig, bootstrap, defineApp, type RunningApp, ServiceModule } from '../src';

const SECRET = 'jane.doe@example.com';
const CALLER = 'b7ad6b7169203331';
const newTraceId = (): string => randomBytes(16).toString('hex');

/** The server that the app calls; set by a test. */
let peer = 'http://127.0.0.1:1/';

/** Called when a request that is never answered has arrived; set by a test. */
let entered = (): void => undefined;

@Controller('things')
class ThingController {
  @Get(':id')
  async get(@Param('id') id: string): Promise<object> {
    if (id === 'bug') throw new Error('a bug');
    if (id === 'slow') await new Promise(() => entered());
    if (id === 'calls') {
      const url = new URL(`${peer}?token=${SECRET}`);
      await inClientSpan({ method: 'GET', target: 'peer', url, peer: 'peer' }, async (traceparent) => {
        const { statusCode: status, body } = await request(url, { headers: { traceparent } });
        return { status, text: await body.text() };
      });
    }
    return { id };
  }

  @Post()
  post(@Body() body: object): object {
    return body;
  }
}

@Module({ controllers: [ThingController] })
class ThingModule {
  static register(config: BaseConfig): DynamicModule {
    return { module: ThingModule, imports: [ServiceModule.register(config)] };
  }
}

const APP = defineApp({
  name: 'things',
  config: BaseConfig,
  module: (config) => ThingModule.register(config),
  errors: defineErrors([]),
  errorFormat: PLAIN_FORMAT,
  openapi: { title: 'Things', description: 'Things' },
});

let collector: JsonServer;
let app: RunningApp | undefined;

const start = async (env: NodeJS.ProcessEnv = {}): Promise<RunningApp> =>
  (app = await bootstrap(APP, {
    PORT: '0',
    LOG_LEVEL: 'silent',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ...env,
  }));

async function ask(path: string, traceparent?: string, signal?: AbortSignal): Promise<number> {
  const headers = traceparent === undefined ? {} : { traceparent };
  const { statusCode, body } = await request(`${app?.url}${path}`, { headers, signal });
  await body.dump();
  return statusCode;
}

/** Resolves with the spans of a trace once there are `count` of them. */
const spansIn = (traceId: string, count = 1): Promise<CollectedSpan[]> =>
  eventually(() => {
    const found = spansOf(collector).filter((span) => span.traceId === traceId);
    expect(found).toHaveLength(count);
    return found;
  });

beforeEach(async () => {
  collector = await JsonServer.start();
  collector.answer(200, {});
});
afterEach(async () => {
  await app?.close();
  await collector.stop();
});

describe('the span of a request', () => {
  it('records method, route and status in the caller’s trace, but neither path nor query', async () => {
    await start({ OTEL_SERVICE_NAME: 'things-of-staging' });
    const traceId = newTraceId();
    await ask(`/things/${SECRET}?email=${SECRET}`, `00-${traceId}-${CALLER}-01`);
    expect(await spansIn(traceId)).toEqual([
      expect.objectContaining({
        app: 'things-of-staging',
        name: 'GET /things/:id',
        kind: 'server',
        parentSpanId: CALLER,
        isError: false,
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/things/:id',
          'url.scheme': 'http',
          'http.response.status_code': 200,
        },
      }),
    ]);
    expect(JSON.stringify(collector.requests)).not.toContain(SECRET);
  });

  it('is an error only for a status of 500 or above', async () => {
    await start();
    const [bug, missing] = [newTraceId(), newTraceId()];
    expect(await ask('/things/bug', `00-${bug}-${CALLER}-01`)).toBe(500);
    expect(await ask('/nowhere', `00-${missing}-${CALLER}-01`)).toBe(404);
    expect((await spansIn(bug))[0]).toMatchObject({ isError: true, attributes: { 'error.type': '500' } });
    expect((await spansIn(missing))[0]).toMatchObject({ name: 'GET', isError: false });
  });

  it('ends when the caller disconnects before the answer', async () => {
    await start();
    const traceId = newTraceId();
    const abort = new AbortController();
    entered = () => abort.abort();
    const asked = ask('/things/slow', `00-${traceId}-${CALLER}-01`, abort.signal).catch((error: Error) => error.name);
    expect(await asked).toBe('AbortError');
    expect((await spansIn(traceId))[0]?.attributes).toMatchObject({ 'error.type': 'caller_gone' });
  });

  it.each([
    ['is not a traceparent', 'nonsense'],
    ['has a trace id of zeros', `00-${'0'.repeat(32)}-${CALLER}-01`],
    ['has the forbidden version', `ff-${'a'.repeat(32)}-${CALLER}-01`],
    ['has 9,000 characters', '00-'.repeat(3_000)],
  ])('begins a new trace when the header %s', async (_, traceparent) => {
    await start();
    await ask('/things/1', traceparent);
    const [span] = await eventually(() => {
      expect(spansOf(collector)).toHaveLength(1);
      return spansOf(collector);
    });
    expect(span?.parentSpanId).toBe('');
    expect(traceparent).not.toContain(span?.traceId);
  });

  it('is not recorded for probes and scrapes', async () => {
    await start();
    for (const path of ['/livez', '/readyz', '/metrics']) await ask(path, `00-${newTraceId()}-${CALLER}-01`);
    const traceId = newTraceId();
    await ask('/things/1', `00-${traceId}-${CALLER}-01`);
    await spansIn(traceId);
    expect(spansOf(collector)).toHaveLength(1);
  });

  it('is the parent of the span of an outgoing call, which contains neither the path nor the query of the call', async () => {
    await start();
    const other = await JsonServer.start();
    other.answer(404, {});
    peer = `${other.url}/path`;
    const traceId = newTraceId();
    await ask('/things/calls', `00-${traceId}-${CALLER}-01`);
    await other.stop();
    const [call, served] = (await spansIn(traceId, 2)).sort((one) => (one.kind === 'client' ? -1 : 1));
    const { hostname, port } = new URL(other.url);
    expect(call).toMatchObject({ name: 'GET peer', kind: 'client', parentSpanId: served?.spanId, isError: true });
    expect(call?.attributes).toEqual({
      'http.request.method': 'GET',
      'server.address': hostname,
      'server.port': Number(port),
      'peer.service': 'peer',
      'http.response.status_code': 404,
      'error.type': '404',
    });
    expect(other.requests[0]?.headers['traceparent']).toBe(`00-${traceId}-${call?.spanId}-01`);
    expect(JSON.stringify(collector.requests)).not.toContain(SECRET);
  });
});

describe('sampling', () => {
  it.each([
    ['always_off', '1', 'neither', [false, false]],
    ['always_on', '1', 'both', [true, true]],
    ['parentbased_always_on', '1', 'only the sampled one', [true, false]],
    ['parentbased_always_off', '1', 'only the sampled one', [true, false]],
    ['traceidratio', '0', 'neither', [false, false]],
    ['traceidratio', '1', 'both', [true, true]],
  ])(
    'by %s with the share %s: of a sampled and an unsampled trace, the app records %s',
    async (sampler, share, _, expected) => {
      await start({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share });
      const traces = [newTraceId(), newTraceId()];
      for (const [index, traceId] of traces.entries()) await ask('/things/1', `00-${traceId}-${CALLER}-0${1 - index}`);
      // The stop exports the recorded spans.
      await app?.close();
      const recorded = new Set(spansOf(collector).map(({ traceId }) => traceId));
      expect(traces.map((traceId) => recorded.has(traceId))).toEqual(expected);
    },
  );
});

describe('a collector that fails', () => {
  /** Collects the lines of the exporter, with the fields of the request in whose context they are logged. */
  function recorded(running: RunningApp): object[] {
    const lines: object[] = [];
    const keep = (message: unknown, context: unknown): void => {
      if (context === 'tracing') lines.push({ ...currentLogFields(), ...(message as object) });
    };
    const logger: LoggerService = { log: keep, warn: keep, error: () => undefined };
    running.nest.useLogger(logger);
    return lines;
  }

  it('is logged once when it fails and once when it recovers, without the fields of a request', async () => {
    collector.answer(400, { message: SECRET });
    const lines = recorded(await start());
    for (let count = 0; count < 3; count++) {
      const { length } = collector.requests;
      await ask('/things/1');
      await eventually(() => expect(collector.requests.length).toBeGreaterThan(length));
    }
    await eventually(() => expect(lines).toHaveLength(1));
    collector.answer(200, {});
    await ask('/things/1');
    await eventually(() => expect(lines).toHaveLength(2));
    expect(lines).toEqual([
      { msg: 'spans cannot be exported', reason: 'OTLPExporterError 400' },
      { msg: 'spans are exported again', outageMs: expect.any(Number) },
    ]);
  });

  it('blocks neither a request nor the stop of an app', async () => {
    collector.hang();
    // The exporter itself reads this variable. Its timeout must be short, so that no export outlives this test.
    process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '1000';
    const running = await start({ SHUTDOWN_TIMEOUT_MS: '1000' });
    delete process.env['OTEL_EXPORTER_OTLP_TIMEOUT'];
    for (let count = 0; count < 20; count++) expect(await ask('/things/1')).toBe(200);
    await eventually(() => expect(collector.requests.length).toBeGreaterThan(0));
    await running.close();
    app = undefined;
  });
});

it('an app exports its remaining spans before it has stopped', async () => {
  const running = await start();
  const traceId = newTraceId();
  await ask('/things/1', `00-${traceId}-${CALLER}-01`);
  await running.close();
  app = undefined;
  expect(spansOf(collector).filter((span) => span.traceId === traceId)).toHaveLength(1);
});

it('an app without a collector records no spans, but propagates the trace', async () => {
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: '' });
  const other = await JsonServer.start();
  other.answer(200, {});
  peer = other.url;
  const traceparent = `00-${newTraceId()}-${CALLER}-01`;
  await ask('/things/calls', traceparent);
  await app?.close();
  await other.stop();
  expect(other.requests[0]?.headers['traceparent']).toBe(traceparent);
  expect(collector.requests).toEqual([]);
});
