import { setTimeout as sleep } from 'node:timers/promises';
import { closeClient, openClient, type SchemaDefinition } from '@tandem/database';
import type { AppDefinition } from './app-definition';
import { BaseConfig } from './config/base-config';
import { WithDatabase } from './config/config-parts';
import { loadConfig } from './config/load-config';
import { createLogger, PinoLogger } from './logging/logger';
import { NoSchemaError } from './migrate';

/** The environment of `node dist/main.js wait-for-migration`: the app's own database. */
export class WaitForMigrationConfig extends WithDatabase(BaseConfig) {}

const PAUSE_MS = 1_000;

/**
 * Waits without limit until every migration of this version of the app has run. This function connects with
 * the app's own role, so the role and its password exist when it returns. Migrations of a newer version are ignored.
 *
 * @param env see {@link WaitForMigrationConfig}
 * @throws ConfigError when a variable is missing or invalid; NoSchemaError
 */
export async function waitForMigration(
  app: Pick<AppDefinition, 'name' | 'schema'>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const config = loadConfig(WaitForMigrationConfig, env);
  if (!app.schema) throw new NoSchemaError(`${app.name} has no schema to wait for`);
  const logger = new PinoLogger(createLogger(app.name, config.LOG_LEVEL));
  let shown: string | undefined;
  for (;;) {
    const reason = await whatIsMissing(app.schema, config.DATABASE_URL);
    if (reason === undefined) return;
    // A reason is logged only when it differs from the reason of the previous check.
    if (reason !== shown) logger.log({ msg: 'migration.awaited', reason });
    shown = reason;
    await sleep(PAUSE_MS);
  }
}

/** @returns why an app of this version cannot start yet, as text; undefined when it can */
async function whatIsMissing({ migrations }: SchemaDefinition, url: string): Promise<string | undefined> {
  try {
    const client = await openClient({
      connectionString: url,
      application_name: 'wait-for-migration',
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    try {
      const { rows } = await client.query('select name from migrations');
      const ran = new Set((rows as { name: string }[]).map(({ name }) => name));
      const missing = migrations.map(({ name }) => name).filter((name) => !ran.has(name));
      return missing.length === 0 ? undefined : `these migrations have not run: ${missing.join(', ')}`;
    } finally {
      await closeClient(client);
    }
  } catch (error) {
    return (error as Error).message;
  }
}
