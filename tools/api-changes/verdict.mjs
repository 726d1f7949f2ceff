/** Whether a version is higher than another; both have the form `1.2.3`. */
export const isHigher = (version, than) => version.localeCompare(than, 'en', { numeric: true }) > 0;

/** Whether a version may break callers of another: its first number is higher, or, before 1.0.0, its second. */
function mayBreak(version, than) {
  const [major, minor] = version.split('.').map(Number);
  const [itsMajor, itsMinor] = than.split('.').map(Number);
  return major > itsMajor || (major === 0 && itsMajor === 0 && minor > itsMinor);
}

/**
 * What is wrong with the changes of an API since its release: breaking ones that nobody has decided on, and decisions that do not
 * belong to a change. Decisions of released versions are history.
 *
 * @param {{ api: string, version: string, changes: string[], breaks: { api: string, change: string, version: string, reason: string }[] }} api
 * `version` is the released one
 */
export function faultsOf({ api, version, changes, breaks }) {
  const decided = breaks.filter((entry) => entry.api === api && isHigher(entry.version, version));
  const undecided = changes.filter((change) => !decided.some((entry) => entry.change === change));
  return [
    ...undecided.map((change) => `${change} (breaks callers of ${version})`),
    ...decided
      .filter(({ change }) => !changes.includes(change))
      .map(({ change }) => `breaks.json has a change that there is not: ${change}`),
    ...decided
      .filter(({ version: next, reason }) => !mayBreak(next, version) || !reason)
      .map(({ change }) => `breaks.json must state a reason, and a version that may break ${version}, for: ${change}`),
  ];
}
