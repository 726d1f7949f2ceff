import { deadLetterTopicOf, TOPOLOGY, type TopicTopology } from '@tandem/contracts';
import { type SchemaDefinition, withMigrationLock } from '@tandem/database';
import type { Client } from 'pg';
import { CreateBus1732060800001 } from './migrations/1732060800001-create-bus';
import { RestrictBus1764400000000 } from './migrations/1764400000000-restrict-bus';
import { ReadPartitionsTogether1764500000000 } from './migrations/1764500000000-read-partitions-together';
import { MeasureLag1766000000001 } from './migrations/1766000000001-measure-lag';
import { PublishAndWake1768000000000 } from './migrations/1768000000000-publish-and-wake';
import { KeepUnreadEvents1768100000000 } from './migrations/1768100000000-keep-unread-events';
import { StartEpochsAtTheClock1768900000000 } from './migrations/1768900000000-start-epochs-at-the-clock';

/** The Postgres bus: the schema `bus`, which only its owner can read and write. */
export const BUS_SCHEMA: SchemaDefinition = {
  schema: 'bus',
  migrations: [
    CreateBus1732060800001,
    RestrictBus1764400000000,
    ReadPartitionsTogether1764500000000,
    MeasureLag1766000000001,
    PublishAndWake1768000000000,
    KeepUnreadEvents1768100000000,
    StartEpochsAtTheClock1768900000000,
  ],
  login: false,
};

/** An app, and the database role that it logs in as. */
export interface BusApp {
  readonly role: string;
  readonly app: string;
  /** The app's consumer group. Default: the app's name. */
  readonly group?: string;
}

export interface GrantBusOptions {
  superuserUrl: string;
  apps: readonly BusApp[];
  /** Whether `apps` lists all users of the bus, so that every other role loses its rights. Default true. */
  complete?: boolean;
  /** Default: every topic of the platform. */
  topology?: readonly TopicTopology[];
}

const FUNCTIONS = [
  ...['publish', 'prune', 'beat', 'read_partitions', 'release', 'leave_group', 'wake_ports', 'lag'],
  // Processes of the previous version call these functions.
  ...['append', 'partitions', 'heartbeat'],
];

/**
 * Grants each app's role the rights that the topology gives the app on the Postgres bus:
 * - to publish the app's topics
 * - to consume topics as the app's own group
 * - to publish to the dead-letter topics of the consumed topics
 *
 * Revokes every other right, including the grants of older versions. With `complete: false`, it revokes only rights of
 * the given roles and of PUBLIC. The migrate step calls this function when the bus and the roles exist. Another call
 * with the same options changes nothing.
 */
export async function grantBus({
  superuserUrl,
  apps,
  complete = true,
  topology = TOPOLOGY,
}: GrantBusOptions): Promise<void> {
  // Without the lock, a concurrent migration that changes the rights on the same functions would fail with "tuple
  // concurrently updated".
  await withMigrationLock(superuserUrl, 'grant-bus', async (client) => {
    await client.query('BEGIN');
    const roles = [...new Set(apps.map((app) => app.role))];
    await revokeAll(client, complete ? undefined : roles);
    for (const role of roles) {
      const name = client.escapeIdentifier(role);
      await client.query(`GRANT USAGE ON SCHEMA bus TO ${name}`);
      await client.query(`GRANT EXECUTE ON FUNCTION ${FUNCTIONS.map((one) => `bus.${one}`).join(', ')} TO ${name}`);
    }
    await removeRights(client, complete ? undefined : roles);
    await storeRights(client, apps, topology);
    await client.query('COMMIT');
  });
}

/** Revokes all rights on the schema and its objects: from everyone but the owner, or from the given roles and PUBLIC. */
async function revokeAll(client: Client, roles?: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ grantee: string }>(
    `SELECT DISTINCT CASE one.grantee WHEN 0 THEN 'PUBLIC' ELSE one.grantee::regrole::text END AS grantee FROM (
       SELECT a.grantee, nspowner AS owner FROM pg_namespace, aclexplode(nspacl) a WHERE nspname = 'bus'
       UNION SELECT a.grantee, relowner FROM pg_class, aclexplode(relacl) a WHERE relnamespace = 'bus'::regnamespace
       UNION SELECT a.grantee, proowner FROM pg_proc, aclexplode(proacl) a WHERE pronamespace = 'bus'::regnamespace
     ) AS one WHERE one.grantee <> one.owner`,
  );
  for (const { grantee } of rows) {
    if (roles && grantee !== 'PUBLIC' && !roles.includes(grantee)) continue;
    for (const objects of ['ALL TABLES IN SCHEMA', 'ALL FUNCTIONS IN SCHEMA', 'SCHEMA'])
      await client.query(`REVOKE ALL ON ${objects} bus FROM ${grantee}`);
  }
}

/**
 * Removes the rights that the functions of the bus check (the rows of `role_publishes` and `role_consumes`), for the
 * given roles or for all roles.
 */
async function removeRights(client: Client, roles?: readonly string[]): Promise<void> {
  for (const table of ['role_publishes', 'role_consumes'])
    await client.query(`DELETE FROM bus.${table} WHERE $1::name[] IS NULL OR role_name = ANY ($1::name[])`, [
      roles ?? null,
    ]);
}

/** Adds, for each app's role, the rights that the functions of the bus check. */
async function storeRights(client: Client, apps: readonly BusApp[], topology: readonly TopicTopology[]): Promise<void> {
  const publishes: (readonly [string, string])[] = [];
  const consumes: (readonly [string, string, string])[] = [];
  for (const { role, app, group = app } of apps)
    for (const { event, publishers, consumers } of topology) {
      if (publishers.includes(app)) publishes.push([role, event.topic]);
      if (consumers.includes(app)) consumes.push([role, group, event.topic]);
      if (consumers.includes(app)) publishes.push([role, deadLetterTopicOf(event.topic)]);
    }
  await client.query('INSERT INTO bus.role_publishes SELECT DISTINCT * FROM unnest($1::name[], $2::text[])', [
    publishes.map(([role]) => role),
    publishes.map(([, topic]) => topic),
  ]);
  await client.query(
    'INSERT INTO bus.role_consumes SELECT DISTINCT * FROM unnest($1::name[], $2::text[], $3::text[])',
    [consumes.map(([role]) => role), consumes.map(([, group]) => group), consumes.map(([, , topic]) => topic)],
  );
}
