import { SpanKind } from '@opentelemetry/api';
import {
  currentTraceId,
  currentTraceparent,
  remoteContext,
  runInSpan,
  runWithTrace,
  startSpan,
  traceIdOf,
  traceparentOf,
  traceparentOr,
} from './trace-context';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const VALID = `00-${TRACE}-b7ad6b7169203331-00`;
const INVALID = [
  undefined,
  '',
  'nonsense',
  `ff${VALID.slice(2)}`,
  `${VALID}-more`,
  VALID.toUpperCase(),
  `00-${'0'.repeat(32)}-b7ad6b7169203331-00`,
  `00-${TRACE}-${'0'.repeat(16)}-00`,
];
const NEW = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;

describe('trace context', () => {
  it('passes a trace through unchanged, flags included, while no spans are recorded', () => {
    const span = startSpan('a step', { kind: SpanKind.SERVER }, remoteContext(VALID));
    expect(traceparentOf(span)).toBe(VALID);
    expect(runInSpan(span, currentTraceparent)).toBe(VALID);
    expect(runWithTrace(VALID, () => traceparentOr(undefined))).toBe(VALID);
  });

  it('accepts a later version of traceparent, and writes version 00', () => {
    expect(traceparentOr(`cc${VALID.slice(2)}-more`)).toBe(VALID);
  });

  it.each(INVALID)('starts a new trace for %s', (traceparent) => {
    const next = [
      traceparentOf(startSpan('a step', {}, remoteContext(traceparent))),
      traceparentOr(traceparent),
      runWithTrace(traceparent, currentTraceparent),
    ];
    for (const one of next) expect(one).toMatch(NEW);
    for (const one of next) expect(one).not.toContain(TRACE);
    expect(new Set(next.map(traceIdOf)).size).toBe(3);
  });

  it('has no trace id outside of a request or event', () => {
    expect(runWithTrace(VALID, currentTraceId)).toBe(TRACE);
    expect(currentTraceId()).toBeUndefined();
    expect(traceIdOf('nonsense')).toBeUndefined();
  });

  it('lasts for the work that runs in it, and for everything that this work awaits', async () => {
    await runWithTrace(VALID, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(currentTraceparent()).toContain('0af7651916cd43dd8448eb211c80319c');
    });
    expect(currentTraceparent()).toBeUndefined();
  });
});
