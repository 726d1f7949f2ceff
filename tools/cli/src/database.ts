import { Client } from 'pg';

/**
 * Connects to a database, runs `work`, and disconnects.
 *
 * @param url the database URL of a superuser
 * @param role the role that `work` runs as. Default: the superuser
 */
export async function inDatabase<T>(url: string, work: (client: Client) => Promise<T>, role?: string): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'tandem-cli' });
  await client.connect();
  try {
    if (role !== undefined) await client.query(`set role ${role}`);
    return await work(client);
  } finally {
    await client.end();
  }
}
