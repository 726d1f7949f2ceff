import { createRequire } from 'node:module';
import { APPS } from './topology.mjs';

/** The newest of a key that are told of. */
const SHOWN = 10;

/**
 * Dead letters of a key that were not replayed, of every app that has its schema in this database.
 *
 * @param {string} url  a superuser's URL
 * @param {string} key  of the events: the oid of a payment or sale
 * @returns {Promise<{ app: string, id: string, topic: string, reason: string }[]>}
 */
export async function deadLettersOf(url, key) {
  const { Client } = createRequire(import.meta.url)('pg');
  const client = new Client({ connectionString: url, application_name: 'dead-letters' });
  await client.connect();
  try {
    const found = [];
    for (const { name, role } of APPS) {
      const present = await client.query('select to_regclass($1) as name', [`${role}.dead_letter`]);
      if (present.rows[0].name === null) continue;
      const { rows } = await client.query(
        `select id, topic, reason from ${role}.dead_letter where key = $1 and replayed_at is null order by id desc limit $2`,
        [key, SHOWN],
      );
      found.push(...rows.map((row) => ({ app: name, ...row })));
    }
    return found;
  } finally {
    await client.end();
  }
}
