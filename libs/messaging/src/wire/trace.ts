import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** W3C Trace Context `traceparent`: version, trace id, parent id, flags; later versions may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;

const storage = new AsyncLocalStorage<string>();

/** The trace id and flags of a valid `traceparent`, else undefined: by the standard a new trace begins then. */
function parse(traceparent: string | undefined): { traceId: string; flags: string } | undefined {
  const match = TRACEPARENT.exec(traceparent ?? '');
  if (!match || (match[1] === '00' && match[4] !== undefined)) return undefined;
  return { traceId: match[2] as string, flags: match[3] as string };
}

/** A new id. Its digits are those of a UUID of version 4, whose 13th is a 4: they are never all zero, which the standard forbids. */
const randomHex = (digits: 16 | 32): string => randomUUID().replaceAll('-', '').slice(0, digits);

/** A step inside the trace of `traceparent`; the first step of a new, sampled trace when that is absent or invalid. */
export function continueTrace(traceparent: string | undefined): string {
  const { traceId, flags } = parse(traceparent) ?? { traceId: randomHex(32), flags: '01' };
  return `00-${traceId}-${randomHex(16)}-${flags}`;
}

/**
 * Runs `work` inside the trace of an incoming `traceparent` (of an HTTP request, or of an event): events added meanwhile
 * carry the same trace id.
 */
export function runWithTrace<T>(traceparent: string | undefined, work: () => T): T {
  return storage.run(continueTrace(traceparent), work);
}

/** The `traceparent` of the request or event that is being handled; undefined outside of one. */
export const currentTraceparent = (): string | undefined => storage.getStore();
