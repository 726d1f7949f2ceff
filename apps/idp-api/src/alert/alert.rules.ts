import { type Alert, type AlertFilter, isBureau, type Page } from '../array/alerts';

/** The class of the alerts of Neighborhood Watch. The classes are an open set: the vendor may add others. */
export const NEIGHBORHOOD_WATCH_CLASS = 'NHW';

/** No user has this many alerts: pages from this offset on are empty, and the vendor is not called. */
export const MAX_OFFSET = 1_000_000;

/** How many of the vendor's newest alerts are searched for a pushed alert: the vendor lists it soon and seldom backdates it far. */
const SEARCHED = 500;

/** An alert that the vendor pushed by a webhook. Its creation time is the arrival of its first push. */
export interface PushedAlert extends Alert {
  /** Whether it was seen in the vendor's list. */
  readonly listed: boolean;
}

/** Returns whether the user sees a pushed alert. An alert of an unknown bureau is shown only when the vendor lists it. */
export const isShown = ({ listed, bureau }: PushedAlert): boolean => listed || isBureau(bureau);

/** What the user has marked. */
export interface ReadState {
  /** Alerts up to this time are read unless marked otherwise; null when all were never marked as read. */
  readonly allReadAt: Date | null;
  /** Alerts that were marked individually since then. */
  readonly marks: ReadonlyMap<number, boolean>;
  /** When pushed alerts arrived, ms; the vendor may backdate them. */
  readonly pushedAt: ReadonlyMap<number, number>;
}

/** Returns whether the filter selects an alert. */
export const isWanted = (alert: Alert, filter: AlertFilter): boolean =>
  (filter.bureau === undefined || alert.bureau === filter.bureau) &&
  (filter.class === undefined || alert.class === filter.class);

/**
 * Returns the part of the vendor's list that determines a page. Our alerts are merged into the vendor's, so the page starts earlier in the
 * vendor's list by at most the number of our alerts. The vendor may by now list one of ours at another place: the first {@link SEARCHED}
 * are searched for it.
 *
 * @param extraCount the number of our alerts that may be in the list
 * @param mayBeListed whether the vendor may list some of them
 */
export function vendorWindow({ offset, count }: Page, extraCount: number, mayBeListed: boolean): Page {
  const end = offset + count;
  if (mayBeListed && end <= SEARCHED) return { offset: 0, count: SEARCHED };
  const first = Math.max(0, offset - extraCount);
  return { offset: first, count: end - first };
}

/**
 * Merges the vendor's list and our alerts into a page, newest first. An alert that both have is shown as the vendor lists it.
 *
 * @param window from {@link vendorWindow}
 * @param vendorAlerts the vendor's list in the window, newest first
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
  // The positions before and after the page are not known exactly; those on the page are.
  const first = page.offset - window.offset;
  return merged.slice(first, first + page.count);
}

/** Returns whether an alert counts as read: its own mark decides, otherwise whether it existed when all alerts were last marked. */
export const isRead = (alert: Alert, { allReadAt, marks, pushedAt }: ReadState): boolean =>
  marks.get(alert.alertId) ??
  (allReadAt !== null && (pushedAt.get(alert.alertId) ?? timeOf(alert)) <= allReadAt.getTime());

export const timeOf = ({ createDate }: Alert): number => Date.parse(createDate);
