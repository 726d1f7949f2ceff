import type { JsonServer } from './json-server';

/** A span as a collector received it. */
export interface CollectedSpan {
  /** `service.name` of the process that recorded it. */
  readonly app: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  /** Unix time, ms. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The parts of OTLP's JSON that tests read. */
interface ExportRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}
interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}
interface OtlpSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  status: { code: number };
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const ERROR = 2;

/** Returns the spans that were sent to a server that acts as an OTLP collector over HTTP. */
export const spansOf = ({ requests }: JsonServer): CollectedSpan[] =>
  requests
    .filter(({ url }) => url === '/v1/traces')
    .flatMap(({ body }) => (body as ExportRequest).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const app = String(valuesOf(resource.attributes)['service.name']);
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => collected(app, span)));
    });

const collected = (app: string, span: OtlpSpan): CollectedSpan => ({
  app,
  name: span.name,
  kind: KINDS[span.kind] ?? 'internal',
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId ?? '',
  attributes: valuesOf(span.attributes),
  isError: span.status.code === ERROR,
  startedAt: Number(span.startTimeUnixNano) / 1e6,
  endedAt: Number(span.endTimeUnixNano) / 1e6,
});

/** OTLP names the type of each value: `{ "stringValue": "x" }`, `{ "intValue": 200 }`. */
const valuesOf = (attributes: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
