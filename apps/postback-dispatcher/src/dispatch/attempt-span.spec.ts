import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { AttemptOutcome } from '../attempt/attempt-types';
import { recordAttempt } from './attempt-span';
import type { AttemptResult } from './dispatch-types';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const STARTED_AT = 1_760_000_000_000;

const attempt = (
  outcome: Partial<AttemptOutcome>,
  delivery: Partial<AttemptResult['delivery']> = {},
): AttemptResult => ({
  delivery: {
    id: 'd1',
    partnerId: 'ptn_1',
    environment: 'live',
    kind: 'sale',
    oid: 'sub_1',
    eventId: 'e1',
    createdAt: 0,
    traceparent: `00-${TRACE}-${PARENT}-01`,
    attemptCount: 0,
    attemptsBeforeReplay: 0,
    body: '{"emailMasked":"j***e@example.com"}',
    ...delivery,
  },
  outcome: {
    startedAt: STARTED_AT,
    latencyMs: 25,
    status: 200,
    stage: null,
    detail: null,
    timedOut: false,
    response: 'secret answer',
    retryAfter: null,
    ...outcome,
  },
  verdict: { status: 'delivered' },
});

describe('the span of an attempt', () => {
  const exporter = new InMemorySpanExporter();
  beforeAll(() =>
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })),
  );
  afterAll(() => trace.disable());
  beforeEach(() => exporter.reset());

  function record(result: AttemptResult, url = 'https://partner.example/postback'): ReadableSpan {
    recordAttempt(result, url);
    const [span] = exporter.getFinishedSpans();
    if (!span) throw new Error('no span');
    return span;
  }

  it('starts and ends with the attempt, and belongs to the trace of the sale', () => {
    const span = record(attempt({}));
    expect(span.spanContext().traceId).toBe(TRACE);
    expect(span.parentSpanContext?.spanId).toBe(PARENT);
    expect(span.startTime).toEqual([STARTED_AT / 1000, 0]);
    expect(span.endTime).toEqual([STARTED_AT / 1000, 25_000_000]);
  });

  it('contains the host and port of the URL, but no other part of the URL, and no body', () => {
    const span = record(attempt({}, { attemptCount: 2 }), 'https://user:password@partner.example/s3cret?key=s3cret');
    expect(span.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': 'partner.example',
      'server.port': 443,
      'http.request.resend_count': 2,
      'http.response.status_code': 200,
      'tandem.delivery.id': 'd1',
      'tandem.delivery.outcome': 'delivered',
    });
  });

  it.each([
    ['the status of an answer', { status: 503, stage: 'status' }, '503'],
    ['the status of a redirect, which is not followed', { status: 302, stage: 'status' }, '302'],
    [
      'the stage at which an attempt without an answer failed',
      { status: null, stage: 'timeout', timedOut: true },
      'timeout',
    ],
    ['the stage at which an answer broke off', { status: 200, stage: 'body' }, 'body'],
  ] as const)('has %s as its error type', (_, outcome, type) => {
    const span = record(attempt(outcome));
    expect(span.status.code).toBe(2);
    expect(span.attributes['error.type']).toBe(type);
  });

  it('is recorded for an unparsable URL', () => {
    expect(record(attempt({ status: null, stage: 'ssrf_refused' }), 'no URL').attributes['error.type']).toBe(
      'ssrf_refused',
    );
  });

  it('starts a new trace for a delivery without a trace', () => {
    expect(record(attempt({}, { traceparent: null })).parentSpanContext).toBeUndefined();
  });
});
