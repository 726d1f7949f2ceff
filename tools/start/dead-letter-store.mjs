import { APPS } from '../../apps/apps.js';
import { packageOf } from './install.mjs';

/** The newest of a key that are told of. */
const SHOWN = 10;

/**
 * The apps that have their schema in this database: each may have one of its own.
 *
 * @param {string} url  a superuser's URL
 */
export const appsIn = (url) =>
  connected(url, async (client) => {
    const found = [];
    for (const app of APPS) {
      const { rows } = await client.query('select to_regclass($1) as name', [`${app.role}.dead_letter`]);
      if (rows[0].name !== null) found.push(app);
    }
    return found;
  });

/**
 * Dead letters of one key or more that were not replayed, of every app that has its schema in this database.
 *
 * @param {string} url  a superuser's URL
 * @param {...string} keys  of the events: the oid of a payment or sale, the KRN of a user
 * @returns {Promise<{ app: string, id: string, topic: string, reason: string }[]>}
 */
export async function deadLettersOf(url, ...keys) {
  const apps = await appsIn(url);
  return connected(url, async (client) => {
    const found = [];
    for (const { name, role } of apps) {
      const { rows } = await client.query(
        `select id, topic, reason from ${role}.dead_letter where key = any($1) and replayed_at is null order by id desc limit $2`,
        [keys, SHOWN],
      );
      found.push(...rows.map((row) => ({ app: name, ...row })));
    }
    return found;
  });
}

async function connected(url, work) {
  const { Client } = await packageOf('pg');
  const client = new Client({ connectionString: url, application_name: 'dead-letters' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
