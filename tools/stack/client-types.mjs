import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inRoot, ROOT } from './paths.mjs';

/**
 * The clients whose types are generated from OpenAPI documents. When an API changes, `npm run typecheck` fails for each client
 * whose code does not match the new types.
 */
const CLIENTS = {
  'apps/partner-gateway/test/client': ['partner-api'],
  'tools/cli/src/generated': ['manager-api', 'support-api'],
  'apps/console/src/generated': ['manager-api', 'partner-api', 'support-api'],
  'libs/partner-sdk/src/generated': ['partner-api'],
  'libs/identity-sdk/src/generated': ['client-api'],
};
/** The published clients. Their types are written as `.ts`, because the compiler does not copy a `.d.ts` to its output. */
const PUBLISHED = ['libs/partner-sdk/src/generated', 'libs/identity-sdk/src/generated'];
const GENERATOR = inRoot('node_modules/openapi-typescript/bin/cli.js');

/**
 * Writes the types of the clients from the OpenAPI documents, except types that are newer than their document. Does nothing where the
 * generator is not installed, as in an image.
 */
export function writeClientTypes() {
  if (!fs.existsSync(GENERATOR)) return;
  for (const [folder, names] of Object.entries(CLIENTS)) {
    if (!fs.existsSync(inRoot(path.dirname(folder)))) continue;
    const extension = PUBLISHED.includes(folder) ? 'ts' : 'd.ts';
    for (const name of names) writeTypes(inRoot(`docs/openapi/${name}.json`), inRoot(folder, `${name}.${extension}`));
  }
}

function writeTypes(document, types) {
  if (!fs.existsSync(document) || modifiedAt(types) > modifiedAt(document)) return;
  fs.mkdirSync(path.dirname(types), { recursive: true });
  execFileSync(process.execPath, [GENERATOR, document, '-o', types], { cwd: ROOT, stdio: 'pipe' });
}

const modifiedAt = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
