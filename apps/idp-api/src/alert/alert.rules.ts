import { type Alert, type AlertFilter, isBureau, type Page } from '../array/alerts';

/** The class of the alerts of Neighborhood Watch. The classes are an open set: the vendor may add others. */
export const NEIGHBORHOOD_WATCH_CLASS = 'NHW';

/** Pages from this offset on are empty, without a call to the vendor. */
export const MAX_OFFSET = 1_000_000;

/**
 * How many of the vendor's newest alerts are searched for pushed alerts, and for alerts of bureaus that this app does not know. This number
 * is sufficient if the vendor lists a pushed alert soon after the push, and seldom gives the alert a date long before the push.
 */
export const SEARCHED = 500;

/** An alert that the vendor pushed by a webhook. Its creation time is the time at which its first push arrived. */
export interface PushedAlert extends Alert {
  /** Whether the alert has been seen in the vendor's list. */
  readonly listed: boolean;
  /**
   * When the alert was first stored, by the database's clock, in ISO 8601. This may be long after the push arrived. For a row that was stored
   * before the column `stored_at` existed, this is the creation time.
   */
  readonly storedAt: string;
  /** The age of the row when it was read, in seconds: the time since the alert was first stored, by the database's clock. */
  readonly storedSecondsAgo: number;
}

/** Returns whether the user sees a pushed alert. An alert of an unknown bureau is shown only when the vendor lists it. */
export const isShown = ({ listed, bureau }: PushedAlert): boolean => listed || isBureau(bureau);

/**
 * Returns whether the vendor's next answer may lack a pushed alert: the vendor has not listed the alert yet, or only some of the vendor's
 * replicas may list it.
 */
export const mayBeMissing = ({ listed, storedSecondsAgo }: PushedAlert, replicationSeconds: number): boolean =>
  !listed || storedSecondsAgo <= replicationSeconds;

/** Which alerts the user has marked as read or unread. */
export interface ReadState {
  /**
   * Alerts up to this time are read, unless they were marked individually later. Null when the user last marked all alerts as unread, or
   * never marked all alerts.
   */
  readonly allReadAt: Date | null;
  /** The alerts that were marked individually since all alerts were last marked, by alert id. True means read. */
  readonly marks: ReadonlyMap<number, boolean>;
  /**
   * When pushed alerts were stored (Unix ms), by alert id. This time decides whether a pushed alert existed when all alerts were marked. If
   * the vendor lists the alert, and the push was stored soon after the alert's creation, the vendor's date decides instead.
   */
  readonly storedAt: ReadonlyMap<number, number>;
}

/** Returns whether the filter selects an alert. */
export const isWanted = (alert: Alert, filter: AlertFilter): boolean =>
  (filter.bureau === undefined || alert.bureau === filter.bureau) &&
  (filter.class === undefined || alert.class === filter.class);

/**
 * Returns the window of the vendor's list that must be read to build a page. Because our alerts are merged into the vendor's list, the
 * window begins before the page's offset, by at most the number of our alerts.
 *
 * The vendor may already list some of our alerts, and at places that do not fit their times. In this case, a page that ends within the
 * first {@link SEARCHED} alerts is built from all of these alerts, so that our alerts are found among them.
 *
 * @param extraCount the number of our alerts that may be in the list
 * @param mayBeListed whether the vendor may already list some of our alerts
 */
export function vendorWindow({ offset, count }: Page, extraCount: number, mayBeListed: boolean): Page {
  const end = offset + count;
  if (mayBeListed && end <= SEARCHED) return { offset: 0, count: SEARCHED };
  const first = Math.max(0, offset - extraCount);
  return { offset: first, count: end - first };
}

/**
 * Merges the vendor's list and our alerts into a page, newest first. An alert that is in both lists is shown as the vendor lists it.
 *
 * @param window from {@link vendorWindow}
 * @param vendorAlerts the vendor's alerts in the window, newest first
 * @param extras all of our alerts that may be in the list; alerts with the same time keep their order
 */
export function mergePage(page: Page, window: Page, vendorAlerts: readonly Alert[], extras: readonly Alert[]): Alert[] {
  const listed = new Set(vendorAlerts.map(({ alertId }) => alertId));
  const waiting = extras.filter(({ alertId }) => !listed.has(alertId)).sort((a, b) => timeOf(b) - timeOf(a));
  const merged: Alert[] = [];
  for (const alert of vendorAlerts) {
    while (waiting[0] && timeOf(waiting[0]) >= timeOf(alert)) merged.push(waiting.shift() as Alert);
    merged.push(alert);
  }
  merged.push(...waiting);
  // The merged list is exact only for the positions on the page, not for those before and after it.
  const first = page.offset - window.offset;
  return merged.slice(first, first + page.count);
}

/**
 * The longest normal delay from the creation of an alert until its push is stored, ms. During this delay the vendor may already list the
 * alert, so the user may have seen the alert before its push was stored.
 */
const PUSH_MS = 5_000;

/**
 * Returns whether an alert counts as read. The alert's own mark decides. Without a mark of its own, the alert is read if it existed when
 * all alerts were marked as read.
 *
 * @param isListed whether the vendor's list contains the alert, or has contained it before
 */
export const isRead = (alert: Alert, isListed: boolean, { allReadAt, marks, storedAt }: ReadState): boolean =>
  marks.get(alert.alertId) ??
  (allReadAt !== null && arrivalOf(alert, isListed, storedAt.get(alert.alertId)) <= allReadAt.getTime());

/** Returns the time from which the user could see an alert (Unix ms). */
function arrivalOf(alert: Alert, isListed: boolean, storedAt: number | undefined): number {
  const createdAt = timeOf(alert);
  if (storedAt === undefined) return createdAt;
  return isListed && storedAt <= createdAt + PUSH_MS ? Math.min(createdAt, storedAt) : storedAt;
}

export const timeOf = ({ createDate }: Alert): number => Date.parse(createDate);
