import { PRO_CODES } from '@tandem/stack-client';

/** What happens to a user of the chaos run after the profile was created. */
export type Fate = 'keeps' | 'refunded' | 'deleted';

/** A user whose requests have all succeeded, some of them after several attempts. */
export interface FinishedUser {
  krn: string;
  arrayUserId: string;
  fate: Fate;
  /**
   * Whether an attempt to create the profile got no answer or a status of 500 or more. Such an attempt can still take
   * effect, even after the deletion.
   */
  hasOpenCreate: boolean;
}

/** A user as the vendor has stored it. */
export interface VendorUser {
  clientKey: string;
  enrollments: { productCode: string; status: string }[];
}

export interface IdentityVerdict {
  users: number;
  /** The error messages of users who did not finish, for example because a request got no correct answer in time. */
  abandoned: readonly string[];
  /** Users whose enrollments at the vendor differ from the wanted ones. */
  unreached: string[];
  /** Users of this run that the vendor still has, although they have no profile. */
  orphans: string[];
}

/** The users of a run and their fates, from which the wanted state of the vendor follows. */
export interface AskedFor {
  finished: readonly FinishedUser[];
  abandoned: readonly string[];
  /** The vendor's users from before the run. */
  others: ReadonlySet<string>;
  /** The KRNs of deleted users who have a profile again, because an earlier request to create it took effect later. */
  returned: ReadonlySet<string>;
}

/** Compares the wanted state with the users that the vendor has. */
export function judgeIdentity(
  { finished, abandoned, others, returned }: AskedFor,
  vendorUsers: readonly VendorUser[],
): IdentityVerdict {
  const active = new Map(vendorUsers.map((user) => [user.clientKey, activeCodes(user)]));
  const alive = finished.filter(({ fate }) => fate !== 'deleted');
  const again = finished.filter(({ krn, hasOpenCreate }) => hasOpenCreate && returned.has(krn));
  const expected = new Set([...others, ...[...alive, ...again].map(({ arrayUserId }) => arrayUserId)]);
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
