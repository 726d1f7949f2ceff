import type { EndedCall } from './client-calls';

/** What the platform has stored. */
export interface StoredEffects {
  readonly codes: readonly string[];
  readonly revoked: readonly string[];
  /** The sales of the `sale.revoked` events, with one entry for each event. */
  readonly revocations: readonly string[];
}

export interface SdkVerdict {
  readonly calls: number;
  /** Calls that took more than one attempt. */
  readonly repeated: number;
  readonly longestMs: number;
  /** How often each kind of failure occurred, by its description. */
  readonly mishaps: Readonly<Record<string, number>>;
}

/**
 * Compares what the calls by the SDK returned with what the platform has stored.
 * @param longestMs the maximum duration of a call
 */
export function judgeCalls(ended: readonly EndedCall[], stored: StoredEffects, longestMs: number): SdkVerdict {
  const resultsOf = (what: string) => ended.filter((call) => call.what === what).flatMap(({ result = [] }) => result);
  const [codes, revoked] = [resultsOf('vouchers'), resultsOf('revoke')];
  const without = (list: readonly string[], others: readonly string[]): number => {
    const known = new Set(others);
    return list.filter((entry) => !known.has(entry)).length;
  };
  return {
    calls: ended.length,
    repeated: ended.filter(({ attempts }) => attempts > 1).length,
    longestMs: Math.max(0, ...ended.map(({ durationMs }) => durationMs)),
    mishaps: {
      'failed calls': ended.filter(({ error }) => error !== undefined).length,
      'calls that took longer than their time limit': ended.filter(({ durationMs }) => durationMs > longestMs).length,
      'vouchers returned and not stored': without(codes, stored.codes),
      'vouchers stored and not returned': without(stored.codes, codes),
      'vouchers returned twice': codes.length - new Set(codes).size,
      'revocations returned and not stored': without(revoked, stored.revoked),
      'revocations stored and not returned': without(stored.revoked, revoked),
      'revocations without their event': without(revoked, stored.revocations),
      'revocations published twice': stored.revocations.length - new Set(stored.revocations).size,
    },
  };
}

export const isExact = ({ mishaps }: SdkVerdict): boolean => Object.values(mishaps).every((count) => count === 0);
