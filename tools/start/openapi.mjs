/** Writes docs/openapi from the code of all apps, and the typed client of the tests from the partner API's document. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { APPS } from '../../apps/apps.js';
import { build } from './install.mjs';
import { inRoot, ROOT } from './paths.mjs';
import { Runner } from './runner.mjs';

const CLIENT = 'apps/partner-gateway/test/client/partner-api.d.ts';

const runner = new Runner();
const node = (...args) => runner.task(process.execPath, args, { cwd: ROOT });

try {
  await build(runner);
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
  await node('node_modules/openapi-typescript/bin/cli.js', 'docs/openapi/partner-api.json', '-o', CLIENT);
  await node('node_modules/prettier/bin/prettier.cjs', '--write', 'docs/openapi', CLIENT);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
await runner.stop(0);
