import { Client } from 'pg';
import type { SaleRow } from './verdict';

/** What the platform stored of the sales of chaos runs. */
export async function salesIn(postgresUrl: string): Promise<SaleRow[]> {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    const { rows } = await client.query<SaleRow>(
      `select oid, min(status) as state, count(*)::int as sales from partner.sale where oid like 'chaos\\_%' group by oid`,
    );
    return rows;
  } finally {
    await client.end();
  }
}
