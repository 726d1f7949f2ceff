import { v5 } from 'uuid';

/** Ours, chosen once. */
const NAMESPACE = 'c2b0a6c1-5a1e-4f0e-8a53-2f6f0d0c9d1b';

/**
 * The id of an alert's `alert.created`: of each alert of a user there is one. An alert that was dropped as one of too many, and is pushed
 * again, is the same event: consumers skip it.
 */
export const alertEventIdOf = ({ krn, alertId }: { readonly krn: string; readonly alertId: number }): string =>
  v5(`${krn} ${alertId}`, NAMESPACE);
