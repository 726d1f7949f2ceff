import fs from 'node:fs';
import path from 'node:path';
import { inRoot, readJson } from '../stack/paths.mjs';

/**
 * The app that serves an API, by the name of the API. Only APIs whose app has a different name are listed. The version of an API is the version of
 * its app.
 */
const APPS = {
  'client-api': 'idp-api',
  'discovery-api': 'discovery',
  'manager-api': 'partner-gateway',
  'partner-api': 'partner-gateway',
  'support-api': 'idp-support',
};

const DOCUMENTS = 'docs/openapi';
export const RELEASED = `${DOCUMENTS}/released`;

/** The file in docs/openapi/released that lists the accepted breaking changes. */
const BREAKS = 'breaks.json';

const namesIn = (folder) =>
  fs.existsSync(inRoot(folder))
    ? fs
        .readdirSync(inRoot(folder))
        .filter((file) => file.endsWith('.json') && file !== BREAKS)
        .map((file) => path.basename(file, '.json'))
    : [];

/** Returns the names of all APIs. */
export const apis = () => namesIn(DOCUMENTS);
/** Returns the names of the APIs that have a release. */
export const releasedApis = () => namesIn(RELEASED);

export const presentVersion = (api) => readJson(inRoot('apps', APPS[api] ?? api, 'package.json')).version;

/** Returns the present version of an API, and its document in docs/openapi without the texts for people. */
export const present = (api) => ({
  version: presentVersion(api),
  document: withoutWords(readJson(inRoot(DOCUMENTS, `${api}.json`))),
});

/** Returns the last release of an API; null when it was never released. */
export const released = (api) => readJson(inRoot(RELEASED, `${api}.json`));

export const breaks = () => readJson(inRoot(RELEASED, BREAKS)) ?? [];

export function writeReleased(api, release) {
  fs.mkdirSync(inRoot(RELEASED), { recursive: true });
  fs.writeFileSync(inRoot(RELEASED, `${api}.json`), `${JSON.stringify(release, null, 1)}\n`);
}

/** Keys whose values are texts for people. No program relies on these texts. */
const WORDS = new Set(['description', 'summary', 'example', 'examples', 'tags']);

/** Returns a document without the texts for people. */
function withoutWords(value, parent = '') {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item));
  if (value === null || typeof value !== 'object') return value;
  // Under `properties`, the keys are names of fields, and a field may be called `description`.
  const isKept = (key) => parent === 'properties' || !WORDS.has(key);
  const kept = Object.entries(value).filter(([key]) => isKept(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutWords(item, parent === 'properties' ? '' : key)]));
}
