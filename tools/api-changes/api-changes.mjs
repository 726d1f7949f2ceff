/**
 * `npm run api-changes` compares docs/openapi with the last release of each API, and fails when a change breaks callers and is not
 * accepted in breaks.json.
 * `npm run api-changes -- release` writes each changed document, without its texts for people, to docs/openapi/released, with the
 * version of its app.
 */
import '../stack/node-version.mjs';
import { isDeepStrictEqual } from 'node:util';
import { breakingChanges } from './breaking-changes.mjs';
import { apis, breaks, present, released, RELEASED, releasedApis, writeReleased } from './documents.mjs';
import { faultsOf, isHigher } from './verdict.mjs';

const HELP = `
Each of these changes breaks callers. Undo it and add the new form alongside the old one, or accept the break: add
{ "api", "change", "version", "reason" } to ${RELEASED}/breaks.json, where "change" is the text between the name of the API and "(breaks callers of …)".`;

/** Returns the faults of an API's changes since its last release; an API that was never released has none. */
function check(api) {
  const before = released(api);
  if (!before) return [];
  const changes = breakingChanges(before.document, present(api).document);
  return faultsOf({ api, version: before.version, changes, breaks: breaks() });
}

function checkAll() {
  const gone = releasedApis().filter((api) => !apis().includes(api));
  const faults = gone.map((api) => `${api}: it was removed`);
  for (const api of apis()) faults.push(...check(api).map((fault) => `${api}: ${fault}`));
  if (faults.length === 0) return console.log(`${apis().length} APIs are compatible with their last releases`);
  console.error(`${faults.join('\n')}\n${HELP}`);
  process.exitCode = 1;
}

function release() {
  for (const api of apis()) {
    const [before, now] = [released(api), present(api)];
    if (before && isDeepStrictEqual(before.document, now.document)) continue;
    const faults = check(api);
    if (before && !isHigher(now.version, before.version))
      faults.push(`version ${before.version} is already released: first release the app, which raises its version`);
    if (faults.length > 0) {
      console.error(faults.map((fault) => `${api}: ${fault}`).join('\n'));
      process.exitCode = 1;
      continue;
    }
    writeReleased(api, now);
    console.log(`${RELEASED}/${api}.json is ${now.version}`);
  }
}

const command = { check: checkAll, release }[process.argv[2] ?? 'check'];
if (command) command();
else {
  console.error('npm run api-changes [-- check | release]');
  process.exitCode = 2;
}
