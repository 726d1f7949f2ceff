/** Returns whether a version is higher than another; both have the form `1.2.3`. */
export const isHigher = (version, than) => version.localeCompare(than, 'en', { numeric: true }) > 0;

/** Returns whether a version may break callers of an older version: its major number is higher or, before 1.0.0, its minor number. */
function mayBreak(version, than) {
  const [major, minor] = version.split('.').map(Number);
  const [itsMajor, itsMinor] = than.split('.').map(Number);
  return major > itsMajor || (major === 0 && itsMajor === 0 && minor > itsMinor);
}

/**
 * Returns the faults of an API's changes since its last release:
 * - a breaking change that is not in breaks.json
 * - an entry of breaks.json that has no reason, whose change was not made, or whose version may not break callers
 *
 * Entries for versions that are already released are ignored.
 *
 * @param {{ api: string, version: string, changes: string[], breaks: { api: string, change: string, version: string, reason: string }[] }} api
 * `version` is the released version; `breaks` are the entries of breaks.json
 */
export function faultsOf({ api, version, changes, breaks }) {
  const decided = breaks.filter((entry) => entry.api === api && isHigher(entry.version, version));
  const undecided = changes.filter((change) => !decided.some((entry) => entry.change === change));
  return [
    ...undecided.map((change) => `${change} (breaks callers of ${version})`),
    ...decided
      .filter(({ change }) => !changes.includes(change))
      .map(({ change }) => `breaks.json has a change that the API does not have: ${change}`),
    ...decided
      .filter(({ version: next, reason }) => !mayBreak(next, version) || !reason)
      .map(({ change }) => `breaks.json must state a reason, and a version that may break ${version}, for: ${change}`),
  ];
}
