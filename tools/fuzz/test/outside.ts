import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import type { TokenFamily } from '@tandem/auth';

/** The exports of the sandbox's server.ts, which is not a library of this project. */
interface SandboxModule {
  startSandbox(config: object): Promise<{ url: string; close(): Promise<void> }>;
}

/** The claims of a token. */
export interface TokenClaims {
  readonly family?: TokenFamily;
  readonly scope?: string;
  readonly amr?: readonly string[];
  /** When the user authenticated, Unix seconds. Default: now, if `amr` has a second factor. */
  readonly authTime?: number;
  /** Makes it a subscription receipt token. */
  readonly entitlements?: readonly string[];
  /** Overrides the family's default. */
  readonly iss?: string;
  /** Overrides the audience that the apps require. */
  readonly aud?: string;
  /** Seconds. */
  readonly expiresIn?: number;
}

const SANDBOX = path.resolve(__dirname, '../../sandbox/src/server');
const VENDOR = { appKey: 'app-key', serverToken: 'server-token' };

/** The outside world: the sandbox with its token issuers, its identity vendor, and an inbox that accepts every postback. */
export class Outside {
  /** The platform's key at the identity vendor. */
  readonly appKey = VENDOR.appKey;

  private constructor(
    private readonly sandbox: { url: string; close(): Promise<void> },
    private readonly dataDir: string,
  ) {}

  static async start(): Promise<Outside> {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'fuzz-sandbox-'));
    const { startSandbox } = (await import(SANDBOX)) as SandboxModule;
    const unused = {
      webhookUrl: 'http://nobody.invalid',
      webhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
    };
    const sandbox = await startSandbox({
      ...{ host: '127.0.0.1', port: 0, dataDir, ...unused, vendor: { ...VENDOR, ...unused } },
      checkoutSigningKeys: `k1:${randomBytes(32).toString('base64')}`,
    });
    return new Outside(sandbox, dataDir);
  }

  /** The environment that points the apps at this outside world. */
  get environment(): NodeJS.ProcessEnv {
    return {
      JWT_SERVICE_ISSUER: this.issuer('service'),
      JWT_SERVICE_JWKS_URL: `${this.issuer('service')}/jwks.json`,
      JWT_OPENID_ISSUER: this.issuer('openid'),
      JWT_OPENID_JWKS_URL: `${this.issuer('openid')}/jwks.json`,
      VENDOR_URL: `${this.sandbox.url}/vendor/api`,
      VENDOR_APP_KEY: this.appKey,
      VENDOR_SERVER_TOKEN: VENDOR.serverToken,
    };
  }

  /** Returns the name of a family's issuer. */
  issuer(family: TokenFamily): string {
    return `${this.sandbox.url}/issuer/${family}`;
  }

  /** An endpoint that answers every postback with 200. */
  get postbackUrl(): string {
    return `${this.sandbox.url}/inbox/fuzz`;
  }

  /** Returns a token of the service issuer, unless overridden. */
  async token(sub: string, claims: TokenClaims = {}): Promise<string> {
    const { token } = (await this.control('/issuer/token', { family: 'service', sub, ...claims })) as { token: string };
    return token;
  }

  /** Sends a command to the sandbox. */
  async control(target: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.sandbox.url + target, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST ${target} was answered with ${answer.status}: ${text}`);
    return JSON.parse(text);
  }

  async stop(): Promise<void> {
    await this.sandbox.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
