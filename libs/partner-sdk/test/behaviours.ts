import { type Behaviour, readCases } from '../../../sdks/typescript/testing/behaviours';

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

export const BEHAVIOURS = ['calls', 'retries', 'errors'].flatMap((name) => readCases(name) as Behaviour[]);
export const SIGNATURES = readCases('signatures') as { readonly now: number; readonly cases: readonly SignatureCase[] };
