import { migrateSchema, type SchemaDefinition } from '@tandem/database';
import type { BusKind } from '../events.options';
import { ensureTopics } from './ensure-topics';
import { type BusApp, BUS_SCHEMA, grantBus } from './postgres/bus-schema';

/** An app whose schema is migrated; it logs in as the role that is named like its schema. */
export interface MigratedApp {
  readonly app: string;
  readonly schema: SchemaDefinition;
  readonly rolePassword?: string;
}

export interface MigrateAppsOptions {
  /** URL of a superuser of the apps' database, which on the Postgres bus also holds the bus. */
  superuserUrl: string;
  bus: BusKind;
  /** Needed on Kafka. */
  kafkaBrokers?: readonly string[];
  /** All apps that use the bus. */
  apps: readonly MigratedApp[];
  /** Postgres bus: other apps as which a role may publish and consume, for tests that play another app's part. */
  otherRoles?: readonly BusApp[];
}

/**
 * The migrate step: brings the schemas of the apps, the bus and its rights, and the topics up to date. Idempotent.
 *
 * @returns the names of the migrations that ran, in order
 */
export async function migrateApps(options: MigrateAppsOptions): Promise<string[]> {
  const { superuserUrl, bus, kafkaBrokers, apps, otherRoles = [] } = options;
  const ran = bus === 'postgres' ? await migrateSchema({ superuserUrl, ...BUS_SCHEMA }) : [];
  for (const { schema, rolePassword } of apps)
    ran.push(...(await migrateSchema({ superuserUrl, ...schema, rolePassword })));
  if (bus === 'postgres') {
    const roles = apps.map(({ app, schema }) => ({ app, role: schema.schema }));
    await grantBus({ superuserUrl, apps: [...roles, ...otherRoles] });
  }
  await ensureTopics({ bus, kafkaBrokers, superuserUrl });
  return ran;
}
