import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inRoot, ROOT } from './paths.mjs';

const DOCUMENT = inRoot('docs/openapi/partner-api.json');
const TYPES = inRoot('apps/partner-gateway/test/client/partner-api.d.ts');
const GENERATOR = inRoot('node_modules/openapi-typescript/bin/cli.js');

/**
 * Writes the types of the partner API's client, which its tests use, from the OpenAPI document. Does nothing while they are newer than
 * the document, and where the tests or the generator are not there (an image).
 */
export function writeClientTypes() {
  const parts = [DOCUMENT, GENERATOR, path.dirname(TYPES)];
  if (!parts.every((file) => fs.existsSync(file)) || modifiedAt(TYPES) > modifiedAt(DOCUMENT)) return;
  execFileSync(process.execPath, [GENERATOR, DOCUMENT, '-o', TYPES], { cwd: ROOT, stdio: 'pipe' });
}

const modifiedAt = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
