import { TOPOLOGY, type TopicTopology } from '@tandem/contracts';
import { ensureDatabase, migrateSchema, type SchemaDefinition } from '@tandem/database';
import { BUS_SCHEMA, type BusApp, type BusKind, ensureTopics, grantBus, type KafkaLogin } from '@tandem/messaging';

/** An app whose schema is migrated; it logs in as the role that is named like its schema. */
export interface MigratedApp {
  readonly app: string;
  readonly schema: SchemaDefinition;
  readonly rolePassword?: string;
}

export interface MigrateAppsOptions {
  /** URL of a superuser of the apps' database, which on the Postgres bus also holds the bus. It is made when it is missing. */
  superuserUrl: string;
  bus: BusKind;
  /** Needed on Kafka. */
  kafkaBrokers?: readonly string[];
  /** Where the brokers want one. */
  kafkaLogin?: KafkaLogin;
  apps: readonly MigratedApp[];
  /**
   * Whether `apps` are all that use the bus. Then every topic is made, and other roles lose their rights on the Postgres bus.
   * False, for one app on its own: only the topics that `apps` publish or consume are made, and other roles keep theirs.
   * Default true.
   */
  complete?: boolean;
  /** Postgres bus: other apps as which a role may publish and consume, for tests that play another app's part. */
  otherRoles?: readonly BusApp[];
}

/**
 * The migrate step: brings the schemas of the apps, the bus and its rights, and the topics up to date. Idempotent; several can
 * run at once, for the same apps or for others.
 *
 * @returns the names of the migrations that ran, in order
 */
export async function migrateApps(options: MigrateAppsOptions): Promise<string[]> {
  const { superuserUrl, bus, kafkaBrokers, kafkaLogin, apps, complete = true, otherRoles = [] } = options;
  const topology = complete ? TOPOLOGY : TOPOLOGY.filter((topic) => apps.some(({ app }) => takesPart(app, topic)));
  const usesPostgresBus = bus === 'postgres' && topology.length > 0;
  await ensureDatabase(superuserUrl);
  const ran = usesPostgresBus ? await migrateSchema({ superuserUrl, ...BUS_SCHEMA }) : [];
  for (const { schema, rolePassword } of apps)
    ran.push(...(await migrateSchema({ superuserUrl, ...schema, rolePassword })));
  if (usesPostgresBus) {
    const roles = apps.map(({ app, schema }) => ({ app, role: schema.schema }));
    await grantBus({ superuserUrl, apps: [...roles, ...otherRoles], complete });
  }
  if (topology.length > 0) await ensureTopics({ bus, kafkaBrokers, kafkaLogin, superuserUrl, topology });
  return ran;
}

/** Whether the app publishes or handles the topic, and so needs it and its dead-letter topic. */
const takesPart = (app: string, { publishers, consumers }: TopicTopology): boolean =>
  publishers.includes(app) || consumers.includes(app);
