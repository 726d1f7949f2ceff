/** `npm run openapi` writes docs/openapi from the code of all apps, and the client types from these documents. */
import './node-version.mjs';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { APPS } from '../../apps/apps.js';
import { writeClientTypes } from './client-types.mjs';
import { build, compiledProjects, ensureInstalled } from './install.mjs';
import { inRoot, ROOT } from './paths.mjs';
import { Runner } from './runner.mjs';

const runner = new Runner();
const node = (...args) => runner.task(process.execPath, args, { cwd: ROOT });

try {
  ensureInstalled();
  // Does not build the tools, because some of them need the types of the documents that are written below.
  await build(
    runner,
    compiledProjects().filter((file) => file.startsWith('apps/')),
  );
  const require = createRequire(inRoot('package.json'));
  const { documentsOf } = require(inRoot('libs/service-defaults/dist/index.js'));
  for (const { name } of APPS) {
    const { app } = require(inRoot('apps', name, 'dist/app.js'));
    for (const [file, document] of await documentsOf(app)) {
      fs.mkdirSync(path.dirname(inRoot(file)), { recursive: true });
      fs.writeFileSync(inRoot(file), `${JSON.stringify(document, null, 2)}\n`);
      console.log(file);
    }
  }
  await node('node_modules/prettier/bin/prettier.cjs', '--write', 'docs/openapi');
  writeClientTypes();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
await runner.stop(0);
