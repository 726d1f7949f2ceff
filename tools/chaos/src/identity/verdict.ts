import { PRO_CODES } from '@tandem/stack-client';

/** What becomes of a user of the chaos run after it has been created. */
export type Fate = 'keeps' | 'refunded' | 'deleted';

/** A user whose requests were all answered. */
export interface FinishedUser {
  krn: string;
  arrayUserId: string;
  fate: Fate;
}

/** A user as the vendor has it. */
export interface VendorUser {
  clientKey: string;
  enrollments: { productCode: string; status: string }[];
}

export interface IdentityVerdict {
  users: number;
  /** Requests that were never answered as they should. */
  abandoned: readonly string[];
  /** Users whose enrollments at the vendor are not those that they are to have. */
  unreached: string[];
  /** Users of the vendor that no profile stands behind. */
  orphans: string[];
}

/** What a run asked for. */
export interface AskedFor {
  finished: readonly FinishedUser[];
  abandoned: readonly string[];
  /** Vendor users from before the run. */
  others: ReadonlySet<string>;
}

/** Compares what was asked for with what the vendor has. */
export function judgeIdentity(
  { finished, abandoned, others }: AskedFor,
  vendorUsers: readonly VendorUser[],
): IdentityVerdict {
  const active = new Map(vendorUsers.map((user) => [user.clientKey, activeCodes(user)]));
  const alive = finished.filter(({ fate }) => fate !== 'deleted');
  const expected = new Set([...others, ...alive.map(({ arrayUserId }) => arrayUserId)]);
  return {
    users: finished.length,
    abandoned,
    unreached: alive
      .filter(({ arrayUserId, fate }) => active.get(arrayUserId) !== (fate === 'keeps' ? PRO_CODES.join() : ''))
      .map(({ krn }) => krn),
    orphans: [...active.keys()].filter((clientKey) => !expected.has(clientKey)),
  };
}

const activeCodes = ({ enrollments }: VendorUser): string =>
  enrollments
    .filter(({ status }) => status === 'active')
    .map(({ productCode }) => productCode)
    .sort()
    .join();

export const isReached = ({ abandoned, unreached, orphans }: IdentityVerdict): boolean =>
  [abandoned, unreached, orphans].every((list) => list.length === 0);
