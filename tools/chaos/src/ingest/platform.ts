import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import type { Client } from 'pg';
import { request } from 'undici';
import { withClient } from '../outcome';
import type { ExpectedSubscription, Load } from './load';
import type { Found, FoundSubscription } from './verdict';

export interface PlatformAddress {
  readonly postgresUrl: string;
  readonly idpApiUrl: string;
  /** The private key of {@link READER}. */
  readonly readerKey: string;
}

/** The app in whose name the subscriptions are read from idp-api. */
export const READER = 'idp-support';
/** How many requests to idp-api run concurrently. */
const AT_ONCE = 20;

/** Counts how many events of the load's subscriptions have been handled so far. */
export const countTaken = (postgresUrl: string): Promise<number> =>
  withClient(postgresUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from idp.subscription_event where subscription_id like 'flood\\_%'`,
    );
    return rows[0]?.count ?? 0;
  });

/** Reads what the platform has stored of a load, from its tables and from the answers of idp-api. */
export async function lookAt(load: Load, address: PlatformAddress): Promise<Found> {
  const { rows, alerts, stored, deadLetters } = await withClient(address.postgresUrl, readTables);
  const events = new Map(rows.map(({ oid, events: count }) => [oid, count]));
  const found: FoundSubscription[] = [];
  for (let from = 0; from < load.subscriptions.length; from += AT_ONCE) {
    const some = load.subscriptions.slice(from, from + AT_ONCE);
    found.push(...(await Promise.all(some.map((one) => subscriptionAt(one, events.get(one.oid) ?? 0, address)))));
  }
  return { stored, deadLetters, alerts, subscriptions: new Map(found.map((one) => [one.oid, one])) };
}

async function readTables(client: Client) {
  const { rows } = await client.query<{ oid: string; events: number }>(
    `select subscription_id as oid, count(*)::int as events from idp.subscription_event
      where subscription_id like 'flood\\_%' group by subscription_id`,
  );
  const alerts = await client.query<{ user: string; count: number }>(
    `select user_id as "user", count(*)::int as count from ingest.inbound_webhook
      where integration = 'array' group by user_id`,
  );
  const counts = await client.query<{ stored: number; deadLetters: number }>(
    `select (select count(*)::int from ingest.inbound_webhook
              where integration = 'array' or subscription_id like 'flood\\_%') as stored,
            (select count(*)::int from idp.dead_letter) + (select count(*)::int from partner.dead_letter)
              + (select count(*)::int from voucher.dead_letter) as "deadLetters"`,
  );
  return {
    rows,
    alerts: new Map(alerts.rows.map(({ user, count }) => [user, count])),
    ...(counts.rows[0] as { stored: number; deadLetters: number }),
  };
}

async function subscriptionAt(
  { oid, krn }: ExpectedSubscription,
  events: number,
  { idpApiUrl, readerKey }: PlatformAddress,
): Promise<FoundSubscription> {
  const privateKey = parseServicePrivateKey(readerKey);
  const token = await issueServiceToken({ privateKey, from: READER, audience: 'idp-api', now: new Date() });
  const url = `${idpApiUrl}/internal/support/users/${encodeURIComponent(krn)}/story`;
  const { statusCode, body } = await request(url, { headers: { authorization: `Bearer ${token}` } });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${url} was answered with ${statusCode}: ${text.slice(0, 500)}`);
  const { user } = JSON.parse(text) as {
    user: { subscriptions: { id: string; state: string; entitlements: string[] }[] };
  };
  const own = user.subscriptions.find(({ id }) => id === oid);
  return { oid, events, state: own?.state ?? 'unknown', entitlements: own?.entitlements ?? [] };
}
