import fs from 'node:fs';
import path from 'node:path';
import { inRoot, readJson } from '../stack/paths.mjs';

/** The app that serves an API, where it has another name. Its version is the version of the API. */
const APPS = {
  'client-api': 'idp-api',
  'discovery-api': 'discovery',
  'manager-api': 'partner-gateway',
  'partner-api': 'partner-gateway',
  'support-api': 'idp-support',
};

const DOCUMENTS = 'docs/openapi';
export const RELEASED = `${DOCUMENTS}/released`;

/** The name of the file of breaking changes that somebody has decided on. */
const BREAKS = 'breaks.json';

const namesIn = (folder) =>
  fs.existsSync(inRoot(folder))
    ? fs
        .readdirSync(inRoot(folder))
        .filter((file) => file.endsWith('.json') && file !== BREAKS)
        .map((file) => path.basename(file, '.json'))
    : [];

/** The names of all APIs, and of those that were released. */
export const apis = () => namesIn(DOCUMENTS);
export const releasedApis = () => namesIn(RELEASED);

export const presentVersion = (api) => readJson(inRoot('apps', APPS[api] ?? api, 'package.json')).version;

/** The API as the code has it. */
export const present = (api) => ({
  version: presentVersion(api),
  document: withoutWords(readJson(inRoot(DOCUMENTS, `${api}.json`))),
});

/** The API as it was released last; null when it was never released. */
export const released = (api) => readJson(inRoot(RELEASED, `${api}.json`));

export const breaks = () => readJson(inRoot(RELEASED, BREAKS)) ?? [];

export function writeReleased(api, release) {
  fs.mkdirSync(inRoot(RELEASED), { recursive: true });
  fs.writeFileSync(inRoot(RELEASED, `${api}.json`), `${JSON.stringify(release, null, 1)}\n`);
}

/** Texts for people, which no program relies on. */
const WORDS = new Set(['description', 'summary', 'example', 'examples', 'tags']);

/** Returns the document without the texts for people. */
function withoutWords(value, parent = '') {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item));
  if (value === null || typeof value !== 'object') return value;
  // A field may be named like a text.
  const isKept = (key) => parent === 'properties' || !WORDS.has(key);
  const kept = Object.entries(value).filter(([key]) => isKept(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutWords(item, parent === 'properties' ? '' : key)]));
}
