import { TOPOLOGY, type TopicTopology } from '@tandem/contracts';
import { ensureDatabase, migrateSchema, type SchemaDefinition } from '@tandem/database';
import { BUS_SCHEMA, type BusApp, type BusKind, ensureTopics, grantBus, type KafkaLogin } from '@tandem/messaging';

/** An app whose schema is migrated. The app logs in as a role that has the same name as the app's schema. */
export interface MigratedApp {
  readonly app: string;
  readonly schema: SchemaDefinition;
  readonly rolePassword?: string;
}

export interface MigrateAppsOptions {
  /** URL of a superuser of the apps' database, which on the Postgres bus also contains the bus. The database is created if missing. */
  superuserUrl: string;
  bus: BusKind;
  /** Required on Kafka. */
  kafkaBrokers?: readonly string[];
  /** The login to the brokers, if they require one. */
  kafkaLogin?: KafkaLogin;
  apps: readonly MigratedApp[];
  /**
   * Whether `apps` are all apps that use the bus. If true, every topic is created, and other roles lose their rights on the Postgres bus. If false
   * (for a single app), only the topics that `apps` publish or consume are created, and other roles keep their rights. Default true.
   */
  complete?: boolean;
  /** On the Postgres bus: other apps in whose name a role may publish and consume, for tests that act as another app. */
  otherRoles?: readonly BusApp[];
}

/**
 * Runs the migrate step. It brings the apps' schemas, the schema of the Postgres bus, the rights on this bus, and the topics up to date.
 * The step is idempotent, and several runs, for the same apps or for others, may overlap.
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

/** Whether the app publishes or handles the topic, and so needs the topic and its dead-letter topic. */
const takesPart = (app: string, { publishers, consumers }: TopicTopology): boolean =>
  publishers.includes(app) || consumers.includes(app);
