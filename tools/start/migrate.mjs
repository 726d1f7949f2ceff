/**
 * Brings every schema up to date from one process, and makes the topics. The environment: SUPERUSER_URL (of the server's
 * database `postgres`), ROLE_PASSWORDS (JSON: role → password), EVENT_BUS, KAFKA_BROKERS. Prints what it did.
 */
import { createRequire } from 'node:module';
import { inRoot } from './paths.mjs';
import { APPS } from '../../apps/apps.js';

const require = createRequire(import.meta.url);
process.once('disconnect', () => process.exit(1));

const DATABASE = 'tandem';
const { SUPERUSER_URL, ROLE_PASSWORDS, KAFKA_BROKERS } = process.env;
const EVENT_BUS = /** @type {'kafka' | 'postgres'} */ (process.env.EVENT_BUS);
const passwords = JSON.parse(ROLE_PASSWORDS);

async function createDatabase() {
  const { Client } = require('pg');
  const client = new Client({ connectionString: SUPERUSER_URL });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (!rowCount) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
  const url = new URL(SUPERUSER_URL);
  url.pathname = `/${DATABASE}`;
  return url.toString();
}

async function main() {
  const { migrateSchema } = require('@tandem/database');
  const { BUS_SCHEMA, ensureTopics, grantBus } = require('@tandem/messaging');
  const superuserUrl = await createDatabase();
  const schemas = APPS.map(({ name }) => require(inRoot('apps', name, 'dist/migrations/index.js')).SCHEMA);
  if (EVENT_BUS === 'postgres') schemas.unshift(BUS_SCHEMA);

  let count = 0;
  for (const definition of schemas) {
    const ran = await migrateSchema({ superuserUrl, ...definition, rolePassword: passwords[definition.schema] });
    count += ran.length;
  }
  const apps = APPS.map(({ name, role }) => ({ app: name, role }));
  if (EVENT_BUS === 'postgres') await grantBus({ superuserUrl, apps });
  await ensureTopics({ bus: EVENT_BUS, kafkaBrokers: KAFKA_BROKERS?.split(','), superuserUrl });
  console.log(count === 0 ? 'up to date' : `${count} migrations`);
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.stack ?? error.message);
    process.exit(1);
  },
);
