import { Client } from 'pg';

/** Connects to a database, and runs `work`. @param url of a superuser @param role in whose schema `work` runs. Default: the superuser */
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
