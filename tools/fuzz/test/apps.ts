import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { newWebhookSecret } from '@tandem/auth';
import type { SchemaDefinition } from '@tandem/database';
import { BUS_SCHEMA } from '@tandem/messaging';
import { type AppDefinition, bootstrap, migrateApps, type RunningApp } from '@tandem/service-defaults';
import {
  createTestDatabase,
  templateOf,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
  TestServiceKeys,
} from '@tandem/testing';
import { type Apps, callApp, type CallOptions, type Json, type Secrets } from '../src';
import { appOf, APPS, CALLERS, variableOf } from '../../../apps/apps';
import { freePorts } from '../../ports/free-ports';

export const APPS_FOLDER = path.resolve(__dirname, '../../../apps');
const UNLIMITED = '1000000';

/** An app of the platform, loaded from its folder. */
interface App {
  readonly name: string;
  readonly definition: AppDefinition;
  readonly schema: SchemaDefinition;
}

/** All apps of the platform. They run together on a real database and call each other, as after `npm start`. */
export class RunningApps implements Apps {
  private readonly running = new Map<string, RunningApp>();
  /** The routes (`METHOD /path`) that each app has registered. */
  private readonly routes = new Map<string, string[]>();

  private constructor(
    readonly database: TestDatabase,
    readonly secrets: Secrets & { readonly serviceKeys: TestServiceKeys },
  ) {}

  /** Starts all apps. @param outside the environment variables that configure the token issuers and the vendor */
  static async start(outside: NodeJS.ProcessEnv): Promise<RunningApps> {
    const apps = await Promise.all(APPS.map(({ name }) => loadApp(name)));
    const database = await createTestDatabase({ template: templateName(apps), prepare: (url) => prepare(url, apps) });
    const platform = new RunningApps(database, {
      serviceKeys: new TestServiceKeys(...CALLERS),
      payments: newWebhookSecret(),
      array: newWebhookSecret(),
    });
    try {
      await platform.startAll(apps, outside);
      return platform;
    } catch (error) {
      await platform.stop();
      throw error;
    }
  }

  private async startAll(apps: readonly App[], outside: NodeJS.ProcessEnv): Promise<void> {
    const ports = await freePorts(apps.length);
    const urls = apps.map(({ name }, index) => [variableOf(name, 'URL'), `http://127.0.0.1:${ports[index]}`]);
    const shared = { ...environmentOf(this.secrets), ...outside, ...Object.fromEntries(urls) };
    const starts = await Promise.allSettled(
      apps.map(async ({ name, definition, schema }, index) => {
        const env = {
          ...shared,
          ...serviceKeysOf(name, this.secrets),
          PORT: String(ports[index]),
          DATABASE_URL: this.database.urlFor(schema.schema),
        };
        this.running.set(name, await bootstrap(this.noting(definition), env));
      }),
    );
    // An error is thrown only after every start has succeeded or failed, so that the caller can stop all running apps.
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
  }

  /** Returns the app with a hook that records its routes as they are registered. */
  private noting(definition: AppDefinition): AppDefinition {
    const routes: string[] = [];
    this.routes.set(definition.name, routes);
    return {
      ...definition,
      onFastify: (fastify, config) => {
        definition.onFastify?.(fastify, config);
        fastify.addHook('onRoute', ({ method, url }) => void routes.push(...[method].flat().map((m) => `${m} ${url}`)));
      },
    };
  }

  /** Returns the internal routes of an app, without HEAD, which exists for every GET. */
  internalRoutesOf(app: string): string[] {
    return (this.routes.get(app) ?? []).filter((route) => /^(?!HEAD )\w+ \/internal(\/|$)/.test(route));
  }

  /** Returns the routes of an app that are not internal, without HEAD and OPTIONS. */
  publicRoutesOf(app: string): string[] {
    return (this.routes.get(app) ?? []).filter((route) => /^(?!HEAD |OPTIONS )\w+ (?!\/internal(\/|$))/.test(route));
  }

  urlOf(app: string): string {
    const running = this.running.get(app);
    if (!running) throw new Error(`there is no app ${app}`);
    return running.url;
  }

  call(app: string, method: string, path: string, options?: CallOptions): Promise<Json> {
    return callApp(this.urlOf(app), method, path, options);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.values()].map((app) => app.close()));
    await this.database.drop();
  }
}

async function loadApp(name: string): Promise<App> {
  // The app is imported by its path, because it is not a library of this project but the subject of its tests.
  const { app } = (await import(path.join(APPS_FOLDER, name, 'src/app'))) as { app: AppDefinition };
  const { SCHEMA } = (await import(path.join(APPS_FOLDER, name, 'src/migrations'))) as { SCHEMA: SchemaDefinition };
  return { name, definition: app, schema: SCHEMA };
}

/**
 * Returns the name of the database that is copied for each test run. The name depends on the migrations, so an outdated
 * database is never copied.
 */
const templateName = (apps: readonly App[]): string =>
  templateOf('fuzz', ...[BUS_SCHEMA, ...apps.map(({ schema }) => schema)].map(({ migrations }) => migrations));

async function prepare(superuserUrl: string, apps: readonly App[]): Promise<void> {
  const migrated = apps.map(({ name, schema }) => ({ app: name, schema, rolePassword: TEST_ROLE_PASSWORD }));
  await migrateApps({ superuserUrl, bus: 'postgres', apps: migrated });
}

/** Returns the keys of an app: its private key, if it calls other apps, and the public keys of its callers. */
const serviceKeysOf = (app: string, { serviceKeys }: RunningApps['secrets']): NodeJS.ProcessEnv => ({
  ...(CALLERS.includes(app) && { SERVICE_PRIVATE_KEY: serviceKeys.privateKeyOf(app) }),
  SERVICE_PUBLIC_KEYS: serviceKeys.publicKeysOf(Object.keys(appOf(app).callers ?? {})),
});

const secret = (): string => randomBytes(32).toString('base64');

const environmentOf = ({ payments, array }: Secrets): NodeJS.ProcessEnv => ({
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  DATABASE_POOL_MAX: '4',
  EVENT_BUS: 'postgres',
  CHECKOUT_BASE_URL: 'https://store.example.com/checkout',
  CONSOLE_URL: 'https://partners.example.com/console',
  CHECKOUT_SIGNING_KEYS: `k1:${secret()}`,
  CURSOR_SIGNING_KEYS: secret(),
  FIELD_ENCRYPTION_KEYS: `k1:${secret()}`,
  EMAIL_HASH_KEY: secret(),
  COUPON_HASH_KEY: secret(),
  PROFILE_HASH_KEY: secret(),
  PAYMENTS_WEBHOOK_SECRETS: payments,
  ARRAY_WEBHOOK_SECRETS: array,
  POSTBACK_ALLOW_LOOPBACK: 'true',
  POSTBACK_REQUIRE_HTTPS: 'false',
  MOCK_ENABLED: 'true',
  PARTNER_APPLICATIONS_ENABLED: 'true',
  PARTNER_APPLICATIONS_PER_ADDRESS_PER_HOUR: UNLIMITED,
  PARTNER_APPLICATIONS_PER_DAY: UNLIMITED,
  RATE_LIMIT_CHECKOUT_PER_MINUTE: UNLIMITED,
  RATE_LIMIT_CLIENT_PER_MINUTE: UNLIMITED,
  RATE_LIMIT_DASHBOARD_PER_MINUTE: UNLIMITED,
  RATE_LIMIT_ONBOARDING_PER_MINUTE: UNLIMITED,
  RATE_LIMIT_READ_PER_MINUTE: UNLIMITED,
  RATE_LIMIT_WRITE_PER_MINUTE: UNLIMITED,
  RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE: UNLIMITED,
});
