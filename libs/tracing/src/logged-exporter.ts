import { Logger } from '@nestjs/common';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { OutageLog } from '@tandem/batching';

type Done = Parameters<SpanExporter['export']>[1];

/** `ExportResultCode.FAILED` of OpenTelemetry. */
const FAILED = 1;

/**
 * Exports spans. Logs once when the collector stops accepting spans, and once when it accepts them again. Spans that
 * the collector did not accept are lost.
 */
export class LoggedExporter implements SpanExporter {
  private readonly outage = new OutageLog(new Logger('tracing'), {
    failed: 'spans cannot be exported',
    recovered: 'spans are exported again',
  });

  constructor(private readonly exporter: SpanExporter) {}

  export(spans: ReadableSpan[], done: Done): void {
    const ended: Done = (result) => {
      if (result.error || result.code !== 0) this.outage.failed({ reason: reasonOf(result.error) });
      else this.outage.succeeded();
      done(result);
    };
    try {
      this.exporter.export(spans, ended);
    } catch (error) {
      // The exporter throws if it cannot convert a span.
      ended({ code: FAILED, error: error as Error });
    }
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }
}

/**
 * Returns why an export failed: the error's name and code, or its message if it has no code. The collector's answer is
 * never included.
 */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  if (error === undefined) return 'unknown';
  return error.code === undefined ? error.message : `${error.name} ${String(error.code)}`;
}
