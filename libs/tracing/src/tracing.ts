import { trace } from '@opentelemetry/api';
import type { TracesSampler } from './traces-sampler';

/** The settings of an app for its spans. */
export interface TracingSettings {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  readonly OTEL_SERVICE_NAME?: string;
  readonly OTEL_TRACES_SAMPLER: TracesSampler;
  /** Share of the traces that a ratio sampler records, 0-1. */
  readonly OTEL_TRACES_SAMPLER_ARG: number;
  readonly SHUTDOWN_TIMEOUT_MS: number;
}

/** Records and exports spans until it is stopped. */
export interface Tracing {
  /**
   * Exports the remaining spans, for at most a fifth of `SHUTDOWN_TIMEOUT_MS`. The promise never rejects, because an
   * app must stop even without its collector.
   */
  stop(): Promise<void>;
}

/**
 * Records spans and sends them to the collector at `OTEL_EXPORTER_OTLP_ENDPOINT`. OpenTelemetry's SDK is loaded only if
 * this variable is set.
 *
 * @returns undefined when the variable is not set: no spans are then recorded
 */
export function startTracing(app: string, config: TracingSettings): Tracing | undefined {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  // `./tracer-provider` is not imported at the top, because it loads OpenTelemetry's SDK.
  const { createTracerProvider } = require('./tracer-provider') as typeof import('./tracer-provider');
  const provider = createTracerProvider({
    serviceName: config.OTEL_SERVICE_NAME ?? app,
    endpoint,
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
  });
  trace.setGlobalTracerProvider(provider);
  return {
    stop: async () => {
      trace.disable();
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, config.SHUTDOWN_TIMEOUT_MS / 5);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), timeout]);
      clearTimeout(timer);
    },
  };
}
