/**
 * `npm run pack:sdks [-- FOLDER]` writes the tarballs of @tandem/partner and @tandem/identity and the wheel of tandem-partner to a folder,
 * .tandem/sdks by default. It fails when the API of an SDK has changed since the last release of this API, or when the SDK does not state
 * that release.
 */
import '../stack/node-version.mjs';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { present, released } from '../api-changes/documents.mjs';
import { ensureInstalled, npm } from '../stack/install.mjs';
import { inRoot, ROOT } from '../stack/paths.mjs';

/** For each API, the files of its SDKs that state which release of the API the SDK follows. */
const SDKS = {
  'partner-api': ['libs/partner-sdk/src/version.ts', 'sdks/python/tandem_partner/_version.py'],
  'client-api': ['libs/identity-sdk/src/version.ts'],
};

/** Returns the reasons why the SDKs cannot be released; none when they can. */
const faults = () => Object.entries(SDKS).flatMap(([api, files]) => faultsOf(api, files));

function faultsOf(api, files) {
  const { version, document } = released(api);
  const untyped = files.filter((file) => !new RegExp(`^.*API_VERSION = ['"]${version}['"]`, 'm').test(read(file)));
  const isNewer = !isDeepStrictEqual(document, present(api).document);
  const release = 'release the app, then run npm run api-changes -- release';
  return [
    ...(isNewer ? [`docs/openapi/${api}.json is newer than its release ${version}: ${release}`] : []),
    ...untyped.map((file) => `${file}: API_VERSION must be ${version}`),
  ];
}

const read = (file) => fs.readFileSync(inRoot(file), 'utf8');

function pack(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const run = (command, args) =>
    execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  run(npm, ['pack', '-w', '@tandem/partner', '-w', '@tandem/identity', '--pack-destination', folder]);
  // The build backend does not store the times of files, so the same sources always produce the same wheel.
  run('python3', ['-m', 'pip', 'wheel', '-q', '--disable-pip-version-check', '--no-deps', '-w', folder, 'sdks/python']);
  for (const file of fs.readdirSync(folder)) {
    const hash = createHash('sha256').update(fs.readFileSync(path.join(folder, file)));
    console.log(`${hash.digest('hex')}  ${path.join(folder, file)}`);
  }
}

const found = faults();
if (found.length > 0) {
  console.error(found.join('\n'));
  process.exitCode = 1;
} else {
  ensureInstalled();
  pack(path.resolve(process.argv[2] ?? inRoot('.tandem/sdks')));
}
