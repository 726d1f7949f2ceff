import { type Alert, type AlertFilter, isBureau, type Page } from '../array/alerts';

/** The class of the alerts of Neighborhood Watch. The classes are an open set: the vendor may add others. */
export const NEIGHBORHOOD_WATCH_CLASS = 'NHW';

/** No user has this many alerts: from this offset on a page is empty, and the vendor is not called. */
export const MAX_OFFSET = 1_000_000;

/** How many of the vendor's newest alerts are searched for a pushed one: the vendor lists it soon, and seldom dates it far back. */
const SEARCHED = 500;

/** An alert that the vendor pushed by a webhook; created when its first push came in. */
export interface PushedAlert extends Alert {
  /** Whether a page of the vendor's list had it. */
  readonly listed: boolean;
}

/** Whether the user sees a pushed alert: of an unknown bureau, only when the vendor lists it. */
export const isShown = ({ listed, bureau }: PushedAlert): boolean => listed || isBureau(bureau);

/** What the user has marked. */
export interface ReadState {
  /** Alerts up to this time are read unless marked otherwise; null when all were never marked as read. */
  readonly allReadAt: Date | null;
  /** Alerts that were marked one by one since then. */
  readonly marks: ReadonlyMap<number, boolean>;
  /** When pushed alerts came in, ms; the vendor may date them back. */
  readonly pushedAt: ReadonlyMap<number, number>;
}

/** Whether an alert is in the list. */
export const isWanted = (alert: Alert, filter: AlertFilter): boolean =>
  (filter.bureau === undefined || alert.bureau === filter.bureau) &&
  (filter.class === undefined || alert.class === filter.class);

/**
 * The part of the vendor's list that decides a page. Alerts of ours stand between the vendor's, so that the page begins at most as many
 * places earlier there. Whether the vendor lists one of ours by now, at another place, is looked for in the first {@link SEARCHED}.
 *
 * @param extraCount alerts of ours that may be in the list
 * @param mayBeListed whether the vendor may list some of them
 */
export function vendorWindow({ offset, count }: Page, extraCount: number, mayBeListed: boolean): Page {
  const end = offset + count;
  if (mayBeListed && end <= SEARCHED) return { offset: 0, count: SEARCHED };
  const first = Math.max(0, offset - extraCount);
  return { offset: first, count: end - first };
}

/**
 * A page of the vendor's list and our alerts together, newest first. What the vendor lists itself is shown as the vendor does.
 *
 * @param window from {@link vendorWindow}
 * @param vendorAlerts the vendor's list in the window, newest first
 * @param extras all of ours that may be in the list; those of one time in their order
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
  // The places before and behind the page are not known exactly; those on the page are.
  const first = page.offset - window.offset;
  return merged.slice(first, first + page.count);
}

/** Whether an alert counts as read: by its own mark, else by whether it was there at the last mark of all. */
export const isRead = (alert: Alert, { allReadAt, marks, pushedAt }: ReadState): boolean =>
  marks.get(alert.alertId) ??
  (allReadAt !== null && (pushedAt.get(alert.alertId) ?? timeOf(alert)) <= allReadAt.getTime());

export const timeOf = ({ createDate }: Alert): number => Date.parse(createDate);
