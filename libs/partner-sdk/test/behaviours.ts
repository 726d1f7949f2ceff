import { readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(__dirname, '../../../sdks/behaviours');
const read = (name: string): unknown => JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8'));

/** An answer of the platform, or the way in which none comes. */
export type Answer =
  | { readonly fails: 'refused' | 'reset' | 'silence' }
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      readonly text?: string;
    };

export interface Behaviour {
  readonly name: string;
  readonly call: { readonly method: string; readonly positional?: unknown[]; readonly named?: Record<string, unknown> };
  readonly options?: { readonly timeoutMs?: number; readonly deadlineMs?: number; readonly maxRetries?: number };
  readonly answers: readonly Answer[];
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly query?: Record<string, string>;
    readonly headers?: Record<string, string>;
    readonly json?: unknown;
  }[];
  readonly waits: readonly (readonly [number, number])[];
  readonly sameHeader?: string;
  readonly result?: unknown;
  readonly error?: {
    readonly class: string;
    readonly fields?: readonly string[];
    readonly [property: string]: unknown;
  };
}

/** What a verification returns. */
export interface Accepted {
  readonly id: string;
  readonly oid: string | null;
  readonly kind: string;
  readonly isSample: boolean;
  readonly isTest: boolean;
}

export interface SignatureCase {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly authorization?: string;
  readonly accepted?: Accepted;
  readonly refused?: string;
}

/** What an endpoint does with postbacks. */
export interface HandlerBehaviour {
  readonly name: string;
  /** How often a function fails before it succeeds. */
  readonly fails?: Readonly<Record<string, number>>;
  readonly ignoresClosures?: boolean;
  /** What the methods return, in order, and which of them fail. Default: a MemoryStore. */
  readonly store?: {
    readonly claim?: readonly unknown[];
    readonly isHandled?: readonly unknown[];
    readonly fails?: readonly string[];
  };
  readonly posts: readonly {
    readonly id: string;
    readonly body: string;
    readonly times?: number;
    readonly secondsAgo?: number;
    readonly signedBy?: 'own' | 'another';
    readonly headers?: Record<string, string>;
    readonly answer: { readonly status: number; readonly text: string; readonly retryAfter?: string };
  }[];
  readonly booked?: readonly string[];
  readonly closed?: readonly string[];
  /** Default: not compared. */
  readonly calls?: readonly string[];
  readonly reported?: number;
}

export const BEHAVIOURS = ['calls', 'retries', 'errors'].flatMap((name) => read(name) as Behaviour[]);
export const HANDLERS = read('handlers') as HandlerBehaviour[];
export const SIGNATURES = read('signatures') as { readonly now: number; readonly cases: readonly SignatureCase[] };
