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

/**
 * Maximum number of spans that wait for their export. Further spans are dropped, so that a collector that is down does
 * not exhaust the memory.
 */
const QUEUE_MAX = 8_192;
const EXPORT_MAX = 1_024;
const EXPORT_EVERY_MS = 1_000;

/**
 * Creates OpenTelemetry's tracer provider with a batching exporter. The exporter itself reads the variables
 * `OTEL_EXPORTER_OTLP_…` other than the endpoint.
 */
export function createTracerProvider({ serviceName, endpoint, sampler, ratio }: TracerProviderOptions): TracerProvider {
  const exporter = new LoggedExporter(new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` }));
  const environment = detectResources({ detectors: [envDetector] });
  return new TracerProvider({
    resource: environment.merge(resourceFromAttributes({ 'service.name': serviceName })),
    sampler: samplerOf(sampler, ratio),
    spanProcessors: [new DetachedBatches(exporter)],
  });
}

/**
 * Batches spans with OpenTelemetry's processor, whose timers and connections are created outside of the context of the
 * request or event that ended a span.
 */
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
