import { Client } from 'pg';
import type { UserStream } from './identity/users';
import { type IdentityVerdict, isReached, judgeIdentity } from './identity/verdict';
import type { PurchaseStream } from './purchases';
import type { Sink } from './sink';
import type { SaleRow } from './verdict';

const GIVE_UP_MS = 120_000;

/** Waits, for at most 2 minutes, until the postback of each accepted purchase has arrived. */
export async function arrivalOfAll(stream: PurchaseStream, sink: Sink): Promise<void> {
  const deadline = Date.now() + GIVE_UP_MS;
  while (Date.now() < deadline && stream.accepted.some(({ oid }) => !sink.arrivals.has(oid))) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until the vendor has the wanted state, a request is abandoned, or 2 minutes have passed. @returns the last verdict */
export async function enrollmentOfAll(users: UserStream): Promise<IdentityVerdict> {
  for (const deadline = Date.now() + GIVE_UP_MS; ;) {
    const { finished, abandoned, others } = users;
    const asked = { finished, abandoned, others, returned: await users.findReturned() };
    const verdict = judgeIdentity(asked, await users.vendorUsers());
    if (isReached(verdict) || verdict.abandoned.length > 0 || Date.now() > deadline) return verdict;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Reads the sales of all purchases that were made by chaos runs, from the table of partner-gateway. */
export async function salesIn(postgresUrl: string): Promise<SaleRow[]> {
  return withClient(postgresUrl, async (client) => {
    const { rows } = await client.query<SaleRow>(
      `select oid, min(status) as state, count(*)::int as sales from partner.sale where oid like 'chaos\\_%' group by oid`,
    );
    return rows;
  });
}

/** Opens a connection to a database, runs `work` with it, and closes it. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
