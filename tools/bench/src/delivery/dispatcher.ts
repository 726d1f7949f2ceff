import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { postbackConfigurationPath, postbackRangeReplayPath } from '@tandem/internal-api';
import { Child, Cleanup, ROOT } from '../processes/child';
import type { BenchDatabase } from './database';

/** The app in whose name the benchmark calls postback-dispatcher. */
const CALLER = 'partner-gateway';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const PRIVATE_KEY = parseServicePrivateKey(privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'));
const PUBLIC_KEY = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const FIELD_KEY = `k1:${randomBytes(32).toString('base64')}`;

/** The endpoint of a partner, configured by the same request that partner-gateway sends. */
export interface Endpoint {
  readonly partnerId: string;
  readonly port: number;
}

/**
 * postback-dispatcher in a separate process. Its settings are the defaults, except that it also accepts endpoints on
 * the loopback interface, over http.
 */
export class Dispatcher {
  private constructor(
    private readonly child: Child,
    private readonly url: string,
  ) {}

  static async start(cleanup: Cleanup, database: BenchDatabase): Promise<Dispatcher> {
    const logs = mkdtempSync(path.join(tmpdir(), 'tandem-bench-log-'));
    const { child, ready } = await Child.start<{ url: string }>({
      name: 'postback-dispatcher',
      logFile: path.join(logs, 'postback-dispatcher.log'),
      file: path.join(ROOT, 'apps/postback-dispatcher/dist/main.js'),
      env: {
        // In production, postback-dispatcher refuses endpoints on the loopback interface.
        NODE_ENV: 'test',
        PORT: '0',
        LOG_LEVEL: 'info',
        DATABASE_URL: database.urlFor('postback'),
        EVENT_BUS: 'postgres',
        BUS_DATABASE_URL: database.urlFor('postback'),
        SERVICE_PUBLIC_KEYS: `${CALLER}:${PUBLIC_KEY}`,
        FIELD_ENCRYPTION_KEYS: FIELD_KEY,
        CURSOR_SIGNING_KEYS: randomBytes(32).toString('base64'),
        POSTBACK_ALLOW_LOOPBACK: 'true',
        POSTBACK_REQUIRE_HTTPS: 'false',
      },
    });
    cleanup.add(() => child.stop().finally(() => rmSync(logs, { recursive: true, force: true })));
    return new Dispatcher(child, ready.url);
  }

  /** For each of the sink's ports, creates a partner's endpoint at this port. */
  async createEndpoints(ports: readonly number[]): Promise<Endpoint[]> {
    const endpoints: Endpoint[] = [];
    for (const port of ports) {
      const partnerId = randomUUID();
      const response = await this.request('PUT', postbackConfigurationPath(partnerId, 'live'), {
        url: `http://127.0.0.1:${port}/postback`,
        authMethod: 'Bearer',
        key: 'partner-key',
      });
      if (response.status !== 201) throw new Error(`saving a configuration was answered with ${response.status}`);
      endpoints.push({ partnerId, port });
    }
    return endpoints;
  }

  /**
   * Replays a partner's failed and held deliveries from the last two days.
   * @returns the number of replayed deliveries
   */
  async replay({ partnerId }: Endpoint): Promise<number> {
    const day = 86_400_000;
    const range = { from: new Date(Date.now() - 2 * day).toISOString(), to: new Date(Date.now() + day).toISOString() };
    const response = await this.request('POST', postbackRangeReplayPath(partnerId, 'live'), range);
    if (response.status !== 202) throw new Error(`a replay was answered with ${response.status}`);
    return ((await response.json()) as { count: number }).count;
  }

  /** CPU time that the process has used so far. */
  async cpuMs(): Promise<number> {
    return (await this.metric('process_cpu_seconds_total')) * 1000;
  }

  /** Resident memory of the process. */
  memoryBytes(): Promise<number> {
    return this.metric('process_resident_memory_bytes');
  }

  stop(): Promise<void> {
    return this.child.stop();
  }

  private async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`the app has no metric ${name}`);
    return Number(value);
  }

  private async request(method: string, path: string, body: object): Promise<Response> {
    const caller = { privateKey: PRIVATE_KEY, from: CALLER, audience: 'postback-dispatcher', now: new Date() };
    return fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${await issueServiceToken(caller)}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
}
