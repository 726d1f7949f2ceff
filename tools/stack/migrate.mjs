/**
 * Brings every schema up to date from one process, and makes the topics. The environment: SUPERUSER_URL (of the database),
 * ROLE_PASSWORDS (JSON: role → password), EVENT_BUS, KAFKA_BROKERS. Prints what it did.
 */
import { createRequire } from 'node:module';
import { inRoot } from './paths.mjs';
import { APPS } from '../../apps/apps.js';

const require = createRequire(import.meta.url);
process.once('disconnect', () => process.exit(1));

const { SUPERUSER_URL, ROLE_PASSWORDS, KAFKA_BROKERS } = process.env;
const passwords = JSON.parse(ROLE_PASSWORDS);

async function main() {
  const { migrateApps } = require('@tandem/service-defaults');
  const ran = await migrateApps({
    superuserUrl: SUPERUSER_URL,
    bus: /** @type {'kafka' | 'postgres'} */ (process.env.EVENT_BUS),
    kafkaBrokers: KAFKA_BROKERS?.split(','),
    apps: APPS.map(({ name, role }) => ({
      app: name,
      schema: require(inRoot('apps', name, 'dist/migrations/index.js')).SCHEMA,
      rolePassword: passwords[role],
    })),
  });
  console.log(ran.length === 0 ? 'up to date' : `${ran.length} migrations`);
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.stack ?? error.message);
    process.exit(1);
  },
);
