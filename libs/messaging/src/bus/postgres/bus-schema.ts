import type { SchemaDefinition } from '@tandem/database';
import { Client } from 'pg';
import { CreateBus1732060800001 } from '../../migrations/1732060800001-create-bus';

/** The Postgres bus: schema and role `bus`. */
export const BUS_SCHEMA: SchemaDefinition = { schema: 'bus', migrations: [CreateBus1732060800001] };

/** Lets the apps' roles use the Postgres bus. Idempotent; run by the migrate step after the bus and the roles are there. */
export async function grantBus(options: { superuserUrl: string; roles: readonly string[] }): Promise<void> {
  const client = new Client({ connectionString: options.superuserUrl, application_name: 'grant-bus' });
  await client.connect();
  try {
    for (const role of options.roles) {
      const name = client.escapeIdentifier(role);
      await client.query(`GRANT USAGE ON SCHEMA bus TO ${name}`);
      await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON
        bus.topic_partition, bus.event_log, bus.group_member, bus.group_cursor TO ${name}`);
      await client.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA bus TO ${name}`);
    }
  } finally {
    await client.end();
  }
}
