import { type Behaviour, readCases } from '../../../sdks/typescript/testing/behaviours';

/** What the verification of a genuine postback must return. */
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
  /** How many times each function fails before it succeeds. */
  readonly fails?: Readonly<Record<string, number>>;
  readonly ignoresClosures?: boolean;
  /** The values that the store's methods return, in order, and the methods that fail. Default: a MemoryStore. */
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

export const BEHAVIOURS = ['calls', 'retries', 'errors'].flatMap((name) => readCases(name) as Behaviour[]);
export const HANDLERS = readCases('handlers') as HandlerBehaviour[];
export const SIGNATURES = readCases('signatures') as { readonly now: number; readonly cases: readonly SignatureCase[] };
