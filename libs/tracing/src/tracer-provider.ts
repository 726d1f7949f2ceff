import type { Context } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type Span,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { withoutContext } from '@tandem/batching';
import { LoggedExporter } from './logged-exporter';
import type { TracesSampler } from './traces-sampler';

export interface TracerProviderOptions {
  readonly serviceName: string;
  /** Base URL of the collector: spans go to `<endpoint>/v1/traces` as JSON. */
  readonly endpoint: string;
  readonly sampler: TracesSampler;
  /** Share of the traces that a ratio sampler records, 0-1. */
  readonly ratio: number;
}

/** Maximum number of spans that wait for the exporter; further spans are dropped, so that memory is bounded while a collector is down. */
const QUEUE_MAX = 8_192;
const EXPORT_MAX = 1_024;
const EXPORT_EVERY_MS = 1_000;

/** OpenTelemetry's provider with its batching exporter. The exporter reads the other `OTEL_EXPORTER_OTLP_…` variables by itself. */
export function createTracerProvider({ serviceName, endpoint, sampler, ratio }: TracerProviderOptions): TracerProvider {
  const exporter = new LoggedExporter(new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` }));
  const environment = detectResources({ detectors: [envDetector] });
  return new TracerProvider({
    resource: environment.merge(resourceFromAttributes({ 'service.name': serviceName })),
    sampler: samplerOf(sampler, ratio),
    spanProcessors: [new DetachedBatches(exporter)],
  });
}

/** OpenTelemetry's batching, with its timers and connections created outside the context of the request or event that ended a span. */
class DetachedBatches implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;

  constructor(exporter: SpanExporter) {
    this.batches = new BatchSpanProcessor({
      exporter,
      maxQueueSize: QUEUE_MAX,
      maxExportBatchSize: EXPORT_MAX,
      scheduledDelayMillis: EXPORT_EVERY_MS,
    });
  }

  onStart(span: Span, parent: Context): void {
    this.batches.onStart(span, parent);
  }

  onEnd(span: ReadableSpan): void {
    withoutContext(() => this.batches.onEnd(span));
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }
}

function samplerOf(name: TracerProviderOptions['sampler'], ratio: number): Sampler {
  const root = name.replace('parentbased_', '');
  const roots: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const sampler = (roots[root] as () => Sampler)();
  return root === name ? sampler : new ParentBasedSampler({ root: sampler });
}
