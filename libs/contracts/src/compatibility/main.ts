/** `npm run contracts -- check | release`: compares the events with the last release, or records a new one. */
import { TOPOLOGY } from '../index';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { breakingChanges, describeBreakingChange } from './breaking-changes';
import { isHigher, PACKAGE_ROOT, packageVersion, presentRelease, readRelease, RELEASE_FILE } from './release';

const USAGE = `npm run contracts -- check      fails when an event has a breaking change since the last release
npm run contracts -- release    records the events as the release of the version in libs/contracts/package.json
`;

const released = readRelease();
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Prints the breaking changes since the last release. @returns the exit code: 1 if there are any */
function check(): number {
  const changes = breakingChanges(released, TOPOLOGY);
  for (const change of changes) process.stderr.write(`${describeBreakingChange(released.version, change)}\n`);
  if (changes.length > 0) return 1;
  say(`${TOPOLOGY.length} topics are compatible with ${released.version}`);
  return 0;
}

/**
 * Records the present events as a release, if they break nothing and the package's version is higher than the last
 * release's. Changes nothing if the last release is the same.
 * @returns the exit code
 */
function release(): number {
  if (check() !== 0) return 1;
  const present = presentRelease(packageVersion(), TOPOLOGY);
  if (isDeepStrictEqual(present, released)) return 0;
  if (!isHigher(present.version, released.version)) {
    process.stderr.write(
      `${released.version} is released: raise the version in libs/contracts/package.json above it first\n`,
    );
    return 1;
  }
  writeFileSync(path.join(PACKAGE_ROOT, RELEASE_FILE), `${JSON.stringify(present, null, 2)}\n`);
  say(`${RELEASE_FILE} is ${present.version}`);
  return 0;
}

const COMMANDS: Readonly<Record<string, () => number>> = { check, release };
const command = COMMANDS[process.argv[2] ?? ''];
if (command) process.exitCode = command();
else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}
