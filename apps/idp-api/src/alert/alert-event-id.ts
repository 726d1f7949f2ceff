import { v5 } from 'uuid';

/** A random namespace. It must never change, or known alerts would get new ids. */
const NAMESPACE = 'c2b0a6c1-5a1e-4f0e-8a53-2f6f0d0c9d1b';

/**
 * Returns the id of an alert's `alert.created`. Each alert of a user has exactly one. If an alert is pushed again after it was dropped because
 * there were too many, its event has the same id, so consumers skip it.
 */
export const alertEventIdOf = ({ krn, alertId }: { readonly krn: string; readonly alertId: number }): string =>
  v5(`${krn} ${alertId}`, NAMESPACE);
