/**
 * Migrates the schemas of all apps, creates the topics, and prints the number of migrations.
 * - `npm start` runs this file with SUPERUSER_URL (the superuser's URL of the database), ROLE_PASSWORDS (JSON: role → password), EVENT_BUS and
 *   KAFKA_BROKERS.
 * - `npm run migrate` runs this file without these variables: the program then builds, and migrates the stack that runs here.
 */
import './node-version.mjs';
import { createRequire } from 'node:module';
import { prepare } from './install.mjs';
import { inRoot } from './paths.mjs';
import { Runner } from './runner.mjs';
import { readSecrets } from './secrets.mjs';
import { readStack } from './stack-file.mjs';
import { APPS } from '../../apps/apps.js';

const require = createRequire(import.meta.url);
// Makes stack traces name lines of the TypeScript sources.
process.setSourceMapsEnabled(true);
process.once('disconnect', () => process.exit(1));

if (process.argv.length > 2) {
  console.error(`npm run migrate has no option ${process.argv[2]}: it takes no arguments`);
  process.exit(2);
}

/** @returns {Promise<{ superuserUrl: string, bus: 'kafka' | 'postgres', kafkaBrokers?: string[], passwords: Record<string, string> }>} */
async function target() {
  const { SUPERUSER_URL, ROLE_PASSWORDS, EVENT_BUS, KAFKA_BROKERS } = process.env;
  if (SUPERUSER_URL) {
    const bus = /** @type {'kafka' | 'postgres'} */ (EVENT_BUS);
    return {
      superuserUrl: SUPERUSER_URL,
      bus,
      kafkaBrokers: KAFKA_BROKERS?.split(','),
      passwords: JSON.parse(ROLE_PASSWORDS),
    };
  }
  const stack = readStack();
  await prepare(new Runner());
  const { rolePasswords: passwords } = readSecrets();
  return {
    superuserUrl: stack.postgres.url,
    bus: stack.eventBus,
    kafkaBrokers: stack.kafka?.brokers.split(','),
    passwords,
  };
}

async function main() {
  const { superuserUrl, bus, kafkaBrokers, passwords } = await target();
  const { migrateApps } = require('@tandem/service-defaults');
  const ran = await migrateApps({
    superuserUrl,
    bus,
    kafkaBrokers,
    apps: APPS.map(({ name, role }) => ({
      app: name,
      schema: require(inRoot('apps', name, 'dist/migrations/index.js')).SCHEMA,
      rolePassword: passwords[role],
    })),
  });
  console.log(ran.length === 0 ? 'up to date' : `${ran.length} ${ran.length === 1 ? 'migration' : 'migrations'}`);
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.stack ?? error.message);
    // The stack trace of the cause names the line of the migration.
    if (error.cause?.stack) console.error(`Caused by: ${error.cause.stack}`);
    process.exit(1);
  },
);
