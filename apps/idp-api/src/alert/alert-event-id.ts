import { v5 } from 'uuid';

/** A random namespace for the ids. It must never change: otherwise the events of known alerts would get new ids. */
const NAMESPACE = 'c2b0a6c1-5a1e-4f0e-8a53-2f6f0d0c9d1b';

/**
 * Returns the id of the event `alert.created` for an alert of a user. The id depends only on the user and the alert. The vendor may push an
 * alert again after this app has deleted its row, for example because the user had too many pushed alerts. The second event then has the
 * same id, so consumers whose inbox still contains the id skip the event.
 */
export const alertEventIdOf = ({ krn, alertId }: { readonly krn: string; readonly alertId: number }): string =>
  v5(`${krn} ${alertId}`, NAMESPACE);
