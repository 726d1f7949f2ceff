import fs from 'node:fs';
import { APPS } from '../../apps/apps.js';
import { inRoot, readJson } from '../stack/paths.mjs';
import { addEvent } from './event.mjs';
import { appendToList, IMPORT, insertAfterLast } from './files.mjs';
import { checkName, constant, pascal, sentence, snake, UsageError } from './names.mjs';

/** The folder of the conformance rules: one file for each feature. */
const RULES = 'tools/conformance/src/rules';

/**
 * Writes a feature with its first endpoints. POST saves a row together with the event `<thing>.created`. GET reads a row; for an unknown id, it
 * throws `<Thing>NotFoundError`. This function also adds
 * - that error to the app's table of errors (404)
 * - the promises of the endpoints to the conformance rules
 * - the event to the contracts, if it is not defined there yet
 *
 * @param {import('./files.mjs').Changes} changes
 * @param {{ app?: string, thing?: string }} wanted
 */
export async function addEndpoint(changes, { app, thing }) {
  const row = APPS.find(({ name }) => name === app);
  if (!row) throw new UsageError(`there is no app "${app ?? ''}"`);
  const name = checkName(thing, 'the feature');
  if (!('@tandem/messaging' in readJson(inRoot('apps', row.name, 'package.json')).dependencies)) {
    throw new UsageError(`${row.name} has no events, but the new endpoint publishes an event`);
  }
  const topic = `${name}.created`;
  const names = {
    app: row.name,
    role: row.role,
    thing: name,
    Thing: pascal(name),
    THING: constant(name),
    table: snake(name),
    path: `${row.routes?.[0]?.prefix.slice(1) ?? 'internal'}/${name}s`,
    stamp: Date.now(),
    Words: sentence(name),
    topic,
    ...accessOf(row),
  };
  const folder = `apps/${row.name}`;
  refuseUsedName(row.name, names);
  await changes.create(`${RULES}/${name}s.ts`, changes.text('rules/rules.ts', names));
  await changes.copy('endpoint', folder, names);
  await changes.edit(`${RULES}/index.ts`, (text) => {
    const imported = insertAfterLast(text, IMPORT, `import { ${names.THING}S } from './${name}s';`);
    return appendToList(imported, 'SECTIONS: readonly Section[] = [', `${names.THING}S`);
  });
  await changes.edit(`${folder}/src/app.module.ts`, (text) => {
    const entity = `import { ${names.Thing} } from './${name}/${name}.entity';`;
    const module = `import { ${names.Thing}Module } from './${name}/${name}.module';`;
    const imported = insertAfterLast(text, IMPORT, `${entity}\n${module}`);
    return appendToList(appendToList(imported, 'entities: [', names.Thing), ' imports: [', `${names.Thing}Module`);
  });
  await changes.edit(`${folder}/src/migrations/index.ts`, (text) => {
    const migration = `Create${names.Thing}${names.stamp}`;
    const line = `import { ${migration} } from './${names.stamp}-create-${name}';`;
    return appendToList(insertAfterLast(text, IMPORT, line), 'migrations: [', migration);
  });
  const table = [`${folder}/src/error-map.ts`, `${folder}/src/app.ts`].find((file) => fs.existsSync(inRoot(file)));
  await changes.edit(table, (text) => {
    const line = `import { ${names.Thing}NotFoundError } from './${name}/${name}.errors';`;
    return appendToList(insertAfterLast(text, IMPORT, line), 'defineErrors([', `[${names.Thing}NotFoundError, 404]`);
  });
  changes.next.push(
    'npm run openapi',
    'npm run k8s',
    'npm run migrate (while a stack runs; npm start migrates by itself)',
    `npm test -- apps/${row.name}`,
    'npm run conformance (needs the results of one complete npm test)',
    'for a public path of an existing API: add its right to tools/fuzz/test/required-rights.ts',
  );
  if (!fs.existsSync(inRoot(`libs/contracts/samples/${topic}.json`))) await addEvent(changes, { topic, app });
}

/**
 * Checks that no other feature has the name. Called before anything is written.
 * @param {string} app @param {{ thing: string, THING: string }} names @throws UsageError
 */
function refuseUsedName(app, { thing, THING }) {
  const taken = [`${RULES}/${thing}s.ts`, `apps/${app}/src/${thing}`].find((file) => fs.existsSync(inRoot(file)));
  if (taken) throw new UsageError(`${taken} already exists: choose another name for the feature`);
  if (new RegExp(`\\b${THING}S\\b`).test(fs.readFileSync(inRoot(RULES, 'index.ts'), 'utf8')))
    throw new UsageError(`${RULES}/index.ts already has ${THING}S: choose another name for the feature`);
}

const ENDPOINT = "import { Endpoint } from '@tandem/http-api';";

/** For each app with its own kind of caller: the access of an endpoint, and the imports that the access needs. Other apps use `USERS` or `OTHER_APPS`. */
const CALLERS = {
  'partner-gateway': ['partners()', `${ENDPOINT}\nimport { partners } from '../token/partner.access';`],
  'idp-api': ['users()', `${ENDPOINT}\nimport { users } from '../client-authentication/client.access';`],
  'idp-support': ['SUPPORT', `${ENDPOINT}\nimport { SUPPORT } from '../support-authentication/support.access';`],
};
const USERS = ["userAccess({ token: 'bearer' })", "import { Endpoint, userAccess } from '@tandem/http-api';"];
const OTHER_APPS = ['APPS', `${ENDPOINT}\nimport { APPS } from '@tandem/internal-api';`];

/** @param {import("../../apps/apps.js").AppRow} row */
function accessOf({ name, routes, callers }) {
  const [access, imports] = CALLERS[name] ?? (!routes && callers ? OTHER_APPS : USERS);
  return { access, imports };
}
