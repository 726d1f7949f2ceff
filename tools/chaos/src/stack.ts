import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseEnv } from 'node:util';
import { callSuccessfully, inRepository, parseStack, type Stack } from '@tandem/stack-client';
import { APPS, variableOf } from '../../../apps/apps';
import type { KillableStack, ProcessState } from './killer';
import { type PlatformAddress, READER } from './ingest/platform';
import type { ReplicaOptions } from './replica';
import type { IdentityTarget } from './identity/users';
import type { PurchaseTarget } from './purchases';

/**
 * The time limit of the stack's start. It is long, because a start may have to build on a machine that is busy with
 * other tests.
 */
const READY_TIMEOUT_MS = 600_000;
/** The processes that are never killed: the sandbox, because it plays the outside world. */
const NOT_OURS = ['sandbox'];

interface StackOptions {
  readonly withoutApps?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly dataOf?: string;
  readonly home?: string;
  readonly signal?: AbortSignal;
}

/** A complete stack with its own folder and ports. The stack restarts its killed processes. */
export class ChaosStack implements KillableStack {
  private constructor(
    private readonly runner: ChildProcess,
    /** The folder with the stack's data, secrets and logs. Commands for the stack take it as `TANDEM_DIR`. */
    readonly home: string,
    readonly file: Stack,
  ) {}

  /**
   * Starts a stack.
   * @param report receives the runner's lines until the stack is ready
   * @param withoutApps whether the caller runs the apps at their addresses, so that the stack does not run them
   * @param env variables for `npm start` and all programs that it starts
   * @param dataOf the checkout whose build migrates the schemas and seeds the data; default: this one
   * @param home the folder of a stack that was stopped and kept; default: a new one
   * @param signal ends the startup
   * @throws Error when the stack does not start, or `signal` is aborted; nothing of the stack is left, not even `home`
   */
  static async start(
    bus: 'kafka' | 'postgres',
    report: (line: string) => void,
    {
      withoutApps = false,
      env = {},
      dataOf,
      home = mkdtempSync(path.join(tmpdir(), 'tandem-chaos-')),
      signal,
    }: StackOptions = {},
  ): Promise<ChaosStack> {
    chmodSync(home, 0o755); // when this process runs as root, Postgres runs as another account
    const ports = [
      'EDGE_PORT',
      'SANDBOX_PORT',
      'TANDEM_POSTGRES_PORT',
      'TANDEM_KAFKA_PORT',
      ...APPS.map(({ name }) => variableOf(name, 'PORT')),
    ];
    const without = withoutApps ? APPS.flatMap(({ name }) => ['--without', name]) : [];
    const data = dataOf === undefined ? [] : ['--data-of', dataOf];
    const start = [inRepository('tools/stack/start.mjs'), '--bus', bus, '--restart', ...without, ...data];
    const runner = spawn(process.execPath, start, {
      env: { ...process.env, ...env, TANDEM_DIR: home, ...Object.fromEntries(ports.map((name) => [name, '0'])) },
      // Through the IPC channel, the runner notices when this process ends in any way.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      detached: true, // Ctrl-C reaches only this process, which ends the stack in order
    });
    let quiet = false;
    createInterface({ input: runner.stdout as NodeJS.ReadableStream }).on(
      'line',
      (line) => quiet || report(`  ${line}`),
    );
    const file = path.join(home, 'stack.json');
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (!existsSync(file)) {
      if (runner.exitCode !== null || runner.signalCode !== null || signal?.aborted || Date.now() > deadline) {
        if (runner.exitCode === null && runner.signalCode === null && runner.kill('SIGTERM'))
          await once(runner, 'exit');
        rmSync(home, { recursive: true, force: true });
        signal?.throwIfAborted();
        throw new Error('the stack did not start');
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    quiet = true;
    return new ChaosStack(runner, home, parseStack(file));
  }

  get postgresUrl(): string {
    return this.file.postgres.url;
  }

  /** Returns the names of the processes that may be killed. */
  victims(): string[] {
    return Object.keys(this.processes()).filter((name) => !NOT_OURS.includes(name));
  }

  processOf(name: string): ProcessState {
    return this.processes()[name] as ProcessState;
  }

  urlOf(app: string): string {
    return (this.file.apps[app] as { url: string }).url;
  }

  /** The secrets with which billing and the identity vendor sign their webhooks. */
  get webhookSecrets(): Record<'payments' | 'array', string> {
    const { payments, array } = this.file.webhooks;
    return { payments: payments.secret, array: array.secret };
  }

  /** The platform's key for the identity vendor. */
  get vendorAppKey(): string {
    return this.file.webhooks.array.appKey;
  }

  /**
   * Returns the options for another process of an app.
   * @param number distinguishes the process in the names of log files
   * @param root the checkout whose build the process runs
   */
  replicaOf(app: string, number = 2, root = inRepository()): ReplicaOptions {
    return {
      file: path.join(root, 'apps', app, 'dist/main.js'),
      env: { ...process.env, ...this.environmentOf(app) },
      logFile: path.join(this.home, 'logs', `${app}-${number}.log`),
    };
  }

  /** The addresses from which the result of a flood of webhooks is read, and the private key of the reader. */
  get platformAddress(): PlatformAddress {
    const { serviceKeys } = JSON.parse(readFileSync(path.join(this.home, 'secrets.json'), 'utf8')) as {
      serviceKeys: Record<string, string>;
    };
    const readerKey = serviceKeys[READER] as string;
    return { postgresUrl: this.postgresUrl, idpApiUrl: this.urlOf('idp-api'), readerKey };
  }

  /** Reads the environment that `npm start` writes for each app. */
  private environmentOf(app: string): NodeJS.Dict<string> {
    return parseEnv(readFileSync(path.join(this.home, 'env', `${app}.env`), 'utf8'));
  }

  /**
   * The addresses to which users with identity protection send their requests, and the secret that signs billing's
   * webhooks.
   */
  get identityTarget(): IdentityTarget {
    const { baseUrl, sandbox, webhooks } = this.file;
    return {
      baseUrl,
      issuerUrl: sandbox.issuer,
      vendorUrl: sandbox.vendor,
      webhookUrl: `${baseUrl}/idp/payments/webhook`,
      secret: webhooks.payments.secret,
    };
  }

  /** Sends the promotion partner's postbacks to a URL. @returns where and how to send purchases */
  async usePostbackEndpoint(url: string): Promise<PurchaseTarget> {
    const { baseUrl, partners, webhooks } = this.file;
    await configurePostback(this.file, url);
    return {
      webhookUrl: `${baseUrl}/idp/payments/webhook`,
      secret: webhooks.payments.secret,
      promotionCode: partners.promotion.promotionCode,
    };
  }

  /** Migrates the schemas to the version of this checkout, like `npm run migrate`. @returns a readable summary */
  async migrate(): Promise<string> {
    const child = spawn(process.execPath, [inRepository('tools/stack/migrate.mjs')], {
      env: { ...process.env, TANDEM_DIR: this.home },
      // Through the IPC channel, the migration notices when this process ends, and ends too.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error('the migration to this version failed');
    // The lines before the summary are log lines.
    return output.trim().split('\n').at(-1) ?? '';
  }

  /** Stops the stack. @returns the folder with its logs and data if `keep` is true, otherwise null */
  async stop({ keep } = { keep: false }): Promise<string | null> {
    if (this.runner.exitCode === null && this.runner.signalCode === null) {
      this.runner.kill('SIGTERM');
      await once(this.runner, 'exit');
    }
    if (keep) return this.home;
    rmSync(this.home, { recursive: true, force: true });
    return null;
  }

  private processes(): Record<string, ProcessState> {
    const { processes } = JSON.parse(readFileSync(path.join(this.home, 'pids.json'), 'utf8')) as {
      processes: Record<string, ProcessState>;
    };
    return processes;
  }
}

/** Sends the promotion partner's postbacks to a URL. @throws Error when the URL is refused */
export async function configurePostback({ baseUrl, partners }: Stack, url: string): Promise<void> {
  await callSuccessfully(`${baseUrl}/api/v2/partner/postback`, {
    method: 'POST',
    token: partners.promotion.token,
    body: { url, authMethod: 'Bearer', key: 'chaos-key' },
  });
}
