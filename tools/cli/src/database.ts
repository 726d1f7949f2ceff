import { Client } from 'pg';

/** Connects to a database, and works there. @param url a superuser's @param role whose schema it works in; default: the superuser's own */
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
