/** The shortest refresh interval of the page while something is pending. Each refresh leaves an entry in the audit trail. */
const FIRST_MS = 4_000;
/** The time after which the page stops refreshing: the next attempt may be hours away. */
export const LATE_MS = 120_000;

/**
 * Returns the time until the next refresh of the page, in ms; false if the data was last loaded two minutes or more after `since`. The longer
 * something is pending, the less often the page refreshes: each wait is a quarter of the time that has passed, but at least 4 s. The last refresh is
 * two minutes after `since`, or up to 4 s later.
 *
 * @param toldAt when the data was last loaded. If loading fails, this time does not change. Then the refreshes end two minutes and 4 s after `since`
 */
export function nextRefresh(since: number, toldAt: number): number | false {
  const passed = toldAt - since;
  const isLate = passed >= LATE_MS || Date.now() - since >= LATE_MS + FIRST_MS;
  return !isLate && Math.max(FIRST_MS, Math.min(passed / 4, LATE_MS - passed));
}
