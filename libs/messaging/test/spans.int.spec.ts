import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { describeOnEachBus, eventually } from '@tandem/testing';
import { currentTraceId, runWithTrace, traceIdOf } from '@tandem/tracing';
import { runInEvent } from '../src';
import { BusTest } from './fixture/bus';
import { note } from './fixture/note';

jest.setTimeout(60_000);

const CALLER = 'b7ad6b7169203331';
const traceOf = (number: number): string => `${number}`.padStart(32, 'a');
const callerOf = (number: number, flags = '01'): string => `00-${traceOf(number)}-${CALLER}-${flags}`;
const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, handlerAttempts: 2 };

describeOnEachBus((bus) => {
  const exporter = new InMemorySpanExporter();
  let test: BusTest;

  beforeAll(() =>
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })),
  );
  afterAll(() => trace.disable());
  beforeEach(async () => {
    exporter.reset();
    test = await BusTest.begin(bus);
  });
  afterEach(() => test.end());

  const spansOf = (name: 'send' | 'process', number: number): ReadableSpan[] =>
    exporter
      .getFinishedSpans()
      .filter((span) => span.spanContext().traceId === traceOf(number))
      .filter((span) => span.name === `${name} ${test.topic.event.topic}`);

  /** Adds `count` notes in one transaction, each in a trace of its own. */
  async function addNotes(count: number, flags?: string): Promise<void> {
    const writer = await test.writer();
    const notes = Array.from({ length: count }, (_, number) => ({
      data: note(`${number}`, number),
      traceparent: callerOf(number, flags),
    }));
    await writer.outbox.transaction((manager) => writer.outbox.addMany(manager, test.topic.event, notes));
  }

  it('records the spans of 500 events that are handled in batches, each in the event’s own trace', async () => {
    const inside = new Map<number, string | undefined>();
    const batches: number[] = [];
    await test.reader({
      handleBatch: async (events) => {
        batches.push(events.length);
        for (const event of events) runInEvent(event, () => inside.set(event.data.number, currentTraceId()));
        expect(currentTraceId()).toBeUndefined();
      },
    });
    await addNotes(500);
    await eventually(() => expect(batches.reduce((sum, size) => sum + size, 0)).toBe(500), { timeoutMs: 30_000 });
    await eventually(() => expect(exporter.getFinishedSpans()).toHaveLength(1_000));
    expect(Math.max(...batches)).toBeGreaterThan(1);
    for (let number = 0; number < 500; number++) {
      const [[send], [process]] = [spansOf('send', number), spansOf('process', number)];
      expect(send?.parentSpanContext?.spanId).toBe(CALLER);
      expect(process?.parentSpanContext?.spanId).toBe(send?.spanContext().spanId);
      expect(inside.get(number)).toBe(traceOf(number));
    }
  });

  it('starts a new trace for each event whose traceparent is missing or invalid', async () => {
    const traces: (string | undefined)[] = [];
    await test.reader({
      handleBatch: async (events) => {
        for (const event of events) traces.push(traceIdOf(event.traceparent));
      },
    });
    const writer = await test.writer();
    const bad = ['nonsense', `00-${'0'.repeat(32)}-${CALLER}-01`, undefined];
    const notes = bad.map((traceparent, number) => ({ data: note('a', number), traceparent }));
    await writer.outbox.transaction((manager) => writer.outbox.addMany(manager, test.topic.event, notes));
    await eventually(() => expect(traces).toHaveLength(3));
    expect(new Set(traces).size).toBe(3);
    for (const id of traces) expect(id).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  });

  it('records no span of a trace that the caller does not sample, and propagates the trace’s flags', async () => {
    const seen: (string | undefined)[] = [];
    await test.reader({
      handleBatch: async (events) => {
        for (const event of events) seen.push(event.traceparent);
      },
    });
    await addNotes(1, '00');
    await eventually(() => expect(seen).toHaveLength(1));
    expect(seen[0]).toMatch(new RegExp(`^00-${traceOf(0)}-[0-9a-f]{16}-00$`));
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('marks the span of each failed attempt with the code of the database error, without values', async () => {
    await test.reader({
      tuning: QUICK,
      handle: async (_, context) => {
        await context.manager.query('SELECT $1::text::uuid', ['a secret']);
      },
    });
    await addNotes(1);
    await eventually(() => expect(spansOf('process', 0)).toHaveLength(3));
    for (const { status, attributes } of spansOf('process', 0)) {
      expect(status).toEqual({ code: 2, message: 'database error 22P02' });
      expect(attributes['error.type']).toBe('failed');
    }
  });

  it('starts the send span of an added event as a child of the span of the event whose handler adds it', async () => {
    const added = Date.now();
    const reader = await test.reader({
      handle: async (one, context) => {
        if (one.number === 0) await reader.outbox.add(context.manager, test.topic.event, note('a', 1));
      },
    });
    await runWithTrace(callerOf(0), () => addNotes(1));
    const [sends, processes] = await eventually(() => {
      const found = [spansOf('send', 0), spansOf('process', 0)] as const;
      for (const spans of found) expect(spans).toHaveLength(2);
      return found;
    });
    const child = sends.find(({ parentSpanContext }) => parentSpanContext?.spanId !== CALLER);
    expect(child?.parentSpanContext?.spanId).toBe(processes[0]?.spanContext().spanId);
    for (const { startTime } of sends) expect(startTime[0] * 1_000).toBeGreaterThan(added - 2_000);
  });
});
