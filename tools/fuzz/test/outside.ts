import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { Outside } from '../src';

/** The exports of the sandbox's server.ts, which is not a library of this project. */
interface SandboxModule {
  startSandbox(config: object): Promise<{ url: string; close(): Promise<void> }>;
}

const SANDBOX = path.resolve(__dirname, '../../sandbox/src/server');
const VENDOR = { appKey: 'app-key', serverToken: 'server-token' };

/** The outside world of a test: a separate sandbox. */
export class StartedOutside extends Outside {
  private constructor(
    private readonly sandbox: { url: string; close(): Promise<void> },
    private readonly dataDir: string,
  ) {
    super(sandbox.url, VENDOR.appKey);
  }

  static async start(): Promise<StartedOutside> {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'fuzz-sandbox-'));
    const { startSandbox } = (await import(SANDBOX)) as SandboxModule;
    const unused = {
      webhookUrl: 'http://nobody.invalid',
      webhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
    };
    const sandbox = await startSandbox({
      host: '127.0.0.1',
      port: 0,
      dataDir,
      ...unused,
      vendor: { ...VENDOR, ...unused },
      checkoutSigningKeys: `k1:${randomBytes(32).toString('base64')}`,
    });
    return new StartedOutside(sandbox, dataDir);
  }

  /** The environment variables with which the apps use this outside world. */
  get environment(): NodeJS.ProcessEnv {
    return {
      JWT_SERVICE_ISSUER: this.issuer('service'),
      JWT_SERVICE_JWKS_URL: `${this.issuer('service')}/jwks.json`,
      JWT_OPENID_ISSUER: this.issuer('openid'),
      JWT_OPENID_JWKS_URL: `${this.issuer('openid')}/jwks.json`,
      VENDOR_URL: `${this.sandboxUrl}/vendor/api`,
      VENDOR_APP_KEY: this.appKey,
      VENDOR_SERVER_TOKEN: VENDOR.serverToken,
    };
  }

  async stop(): Promise<void> {
    await this.sandbox.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
