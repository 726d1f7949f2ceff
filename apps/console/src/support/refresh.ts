/** The shortest refresh interval of the page while something is pending. Each refresh leaves an entry in the audit trail. */
const FIRST_MS = 4_000;
/** The time after which the page stops refreshing: the next attempt may be hours away. */
export const LATE_MS = 120_000;

/**
 * Returns the time until the next refresh of the page, in ms; false when there are no more refreshes. Each wait is a quarter of the time from `since`
 * to the last load, but at least 4 s, so the page refreshes less often the longer something is pending. The last refresh is two minutes after
 * `since`, or up to 4 s later.
 *
 * @param toldAt when the data was last loaded. While loading fails, this time does not change, and the refreshes end two minutes and 4 s after
 *   `since`
 */
export function nextRefresh(since: number, toldAt: number): number | false {
  const passed = toldAt - since;
  const isLate = passed >= LATE_MS || Date.now() - since >= LATE_MS + FIRST_MS;
  return !isLate && Math.max(FIRST_MS, Math.min(passed / 4, LATE_MS - passed));
}
