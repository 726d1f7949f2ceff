import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { startSendSpans } from './event-spans';

describe('startSendSpans', () => {
  const exporter = new InMemorySpanExporter();
  beforeAll(() =>
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })),
  );
  afterAll(() => trace.disable());
  beforeEach(() => exporter.reset());

  const startOf = (headers: Record<string, string>): number | undefined => {
    startSendSpans([{ topic: 'note.dlq', key: 'a', value: Buffer.from('{}'), headers }], 'postgres').end();
    return exporter.getFinishedSpans()[0]?.startTime[0];
  };

  it('starts the span at the time of the event', () => {
    expect(startOf({ ce_time: '2026-01-05T00:00:00.000Z' })).toBe(Date.UTC(2026, 0, 5) / 1000);
  });

  it.each([{ ce_time: 'yesterday' }, { ce_time: '' }, {}])(
    'starts the span now if the time is unreadable: %j',
    (headers) => {
      expect(startOf(headers as Record<string, string>)).toBeGreaterThan(Date.UTC(2026, 0, 6) / 1000);
    },
  );
});
