import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRepository, type Stack } from '@tandem/stack-client';
import { Client } from 'pg';
import { APPS } from '../../../../apps/apps';
import { type Apps, callApp, type CallOptions, type Json, type Secrets } from '../platform/apps';
import { Outside } from '../platform/outside';

/** The function of tools/test/test-stack.mjs that starts a stack. That file is a script without types. */
interface TestStackModule {
  startTestStack(options: { bus: 'postgres'; env: NodeJS.ProcessEnv; detached: boolean }): Promise<{
    readonly home: string;
    readonly stack: Stack;
    stop(): Promise<void>;
  }>;
}

const UNLIMITED = '1000000';
const POLICIES = ['CHECKOUT', 'READ', 'WRITE', 'VOUCHER_CREATE', 'CLIENT', 'ONBOARDING', 'DASHBOARD'];
/**
 * The environment of the stack. Its rate limits are so high that no request reaches them, because a request over a
 * limit does not reach the code behind the limit.
 */
const ENVIRONMENT = {
  ...Object.fromEntries(POLICIES.map((policy) => [`RATE_LIMIT_${policy}_PER_MINUTE`, UNLIMITED])),
  PARTNER_APPLICATIONS_PER_ADDRESS_PER_HOUR: UNLIMITED,
  PARTNER_APPLICATIONS_PER_DAY: UNLIMITED,
  // Only errors are logged, because the other log lines of 100,000 requests would fill the logs.
  LOG_LEVEL: 'error',
};

const MEASURED = [...APPS.map(({ name }) => name), 'edge'];

/** A whole stack in separate processes: the apps, the edge, the sandbox and Postgres. */
export class FuzzedStack implements Apps {
  private constructor(
    private readonly running: Awaited<ReturnType<TestStackModule['startTestStack']>>,
    readonly secrets: Secrets,
  ) {}

  /**
   * Starts the stack after building what has changed, and resolves when everything is ready.
   * @param env added to the environment of all processes
   */
  static async start(env: Readonly<Record<string, string>>): Promise<FuzzedStack> {
    const file = pathToFileURL(inRepository('tools/test/test-stack.mjs')).href;
    const { startTestStack } = (await import(file)) as TestStackModule;
    const running = await startTestStack({ bus: 'postgres', env: { ...ENVIRONMENT, ...env }, detached: true });
    const { serviceKeys } = JSON.parse(readFileSync(path.join(running.home, 'secrets.json'), 'utf8')) as {
      serviceKeys: Record<string, string>;
    };
    const { payments, array } = running.stack.webhooks;
    return new FuzzedStack(running, {
      serviceKeys: { privateKeyOf: (caller) => serviceKeys[caller] as string },
      payments: payments.secret,
      array: array.secret,
    });
  }

  get edgeUrl(): string {
    return this.running.stack.baseUrl;
  }

  get outside(): Outside {
    const { sandbox, webhooks } = this.running.stack;
    return new Outside(new URL(sandbox.issuer).origin, webhooks.array.appKey);
  }

  urlOf(app: string): string {
    return (this.running.stack.apps[app] as { url: string }).url;
  }

  call(app: string, method: string, target: string, options?: CallOptions): Promise<Json> {
    return callApp(this.urlOf(app), method, target, options);
  }

  /** Returns the process ids of the apps and the edge, by name. */
  pids(): Record<string, number> {
    const { processes } = JSON.parse(readFileSync(path.join(this.running.home, 'pids.json'), 'utf8')) as {
      processes: Record<string, { pid: number }>;
    };
    return Object.fromEntries(MEASURED.map((name) => [name, processes[name]?.pid ?? 0]));
  }

  /** Counts the connections of the apps to Postgres. */
  async connections(): Promise<number> {
    const client = new Client({ connectionString: this.running.stack.postgres.url });
    await client.connect();
    try {
      const sql = `select count(*)::int as count from pg_stat_activity where usename = any($1)`;
      const { rows } = await client.query<{ count: number }>(sql, [APPS.map(({ role }) => role)]);
      return rows[0]?.count ?? 0;
    } finally {
      await client.end();
    }
  }

  /**
   * Returns the lines that the apps and the edge have logged at level error or fatal. Also returns their lines that are
   * not in the log format, because such lines come from crashes.
   */
  errorLines(): readonly string[] {
    const folder = path.join(this.running.home, 'logs');
    return readdirSync(folder)
      .filter((file) => MEASURED.includes(file.replace('.log', '')))
      .flatMap((file) =>
        readFileSync(path.join(folder, file), 'utf8')
          .split('\n')
          .filter((line) => line !== '' && !/"level":(?:"(?:trace|debug|info|warn)"|[1-4]0)\b/.test(line))
          .map((line) => `${file}: ${line}`),
      );
  }

  stop(): Promise<void> {
    return this.running.stop();
  }
}
