import { AsyncLocalStorage } from 'node:async_hooks';
import { randomId } from './random';

/** W3C Trace Context `traceparent`: version, trace id, parent id, flags; later versions may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;

const storage = new AsyncLocalStorage<string>();

/** The trace id and flags of a valid `traceparent`, else undefined: the standard says to start anew then. */
function parse(traceparent: string | undefined): { traceId: string; flags: string } | undefined {
  const match = TRACEPARENT.exec(traceparent ?? '');
  if (!match || (match[1] === '00' && match[4] !== undefined)) return undefined;
  return { traceId: match[2] as string, flags: match[3] as string };
}

const randomHex = (bytes: number): string => {
  const hex = randomId(bytes).toString('hex');
  return /^0+$/.test(hex) ? randomHex(bytes) : hex;
};

/** A step inside the trace of `traceparent`; the first step of a new, sampled trace when that is absent or invalid. */
export function continueTrace(traceparent: string | undefined): string {
  const { traceId, flags } = parse(traceparent) ?? { traceId: randomHex(16), flags: '01' };
  return `00-${traceId}-${randomHex(8)}-${flags}`;
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
