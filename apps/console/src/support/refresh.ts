/** The shortest refresh interval of the page while something is pending. Each refresh leaves an entry in the audit trail. */
const FIRST_MS = 4_000;
/** The time after which the page stops refreshing: the next attempt may be hours away. */
export const LATE_MS = 120_000;

/**
 * Returns the time until the next refresh of the page, in ms; false after two minutes. The longer something is pending, the less often the page
 * refreshes: after a quarter of the time that has passed, and for the last time after the two minutes.
 *
 * @param toldAt when the data was loaded. If it cannot be loaded, this stays the same, and the current time ends the refreshes
 */
export function nextRefresh(since: number, toldAt: number): number | false {
  const passed = toldAt - since;
  const isLate = passed >= LATE_MS || Date.now() - since >= LATE_MS + FIRST_MS;
  return !isLate && Math.max(FIRST_MS, Math.min(passed / 4, LATE_MS - passed));
}
