import path from 'node:path';
import { CheckoutTokens } from '@tandem/auth';

/** The sandbox's configuration. `readConfig` names the variables. */
export interface SandboxConfig {
  host: string;
  port: number;
  /** The URL at which others reach the sandbox; the issuers' names begin with it. Default: derived from the host and the port */
  url?: string;
  /** The folder that keeps the issuers' keys, the inboxes' secrets, the store's subscriptions and the vendor's users after a restart. */
  dataDir: string;
  /** The URL of the console, to which sign-ins return. */
  consoleUrl: string;
  /** The URL to which the store sends payments webhooks. It sends plan changes to `<this>/plan-change`. */
  webhookUrl: string;
  /** The secret with which the store signs its webhooks: `whsec_` and base64. */
  webhookSecret: string;
  /** The keys with which the store verifies the checkout URLs of partner-gateway: `k2:<base64>,k1:<base64>`. */
  checkoutSigningKeys: string;
  /** The waits before the second and later attempts of a webhook, ms. Default: the schedule in signed-webhooks.ts */
  webhookRetryDelaysMs?: number[];
  vendor: VendorConfig;
}

/** The identity vendor: the credentials that its callers need, and the target of its webhooks. */
export interface VendorConfig {
  appKey: string;
  serverToken: string;
  webhookUrl: string;
  /** `whsec_` and base64. */
  webhookSecret: string;
}

/** A variable of the environment is missing or invalid. The message names the variable. */
export class SandboxConfigError extends Error {}

/** Reads the configuration. @throws SandboxConfigError */
export function readConfig(env: NodeJS.ProcessEnv): SandboxConfig {
  return {
    host: env.SANDBOX_HOST || '127.0.0.1',
    port: readPort(env.SANDBOX_PORT || '4100'),
    url: env.SANDBOX_URL ? readUrl('SANDBOX_URL', env.SANDBOX_URL) : undefined,
    dataDir: path.resolve(env.SANDBOX_DATA_DIR || '.tandem/sandbox'),
    consoleUrl: readUrl('CONSOLE_URL', env.CONSOLE_URL || 'http://127.0.0.1:8080/console'),
    webhookUrl: readUrl('PAYMENTS_WEBHOOK_URL', env.PAYMENTS_WEBHOOK_URL),
    webhookSecret: readSecret('PAYMENTS_WEBHOOK_SECRET', env.PAYMENTS_WEBHOOK_SECRET),
    checkoutSigningKeys: readKeys('CHECKOUT_SIGNING_KEYS', env.CHECKOUT_SIGNING_KEYS),
    vendor: {
      appKey: readText('VENDOR_APP_KEY', env.VENDOR_APP_KEY),
      serverToken: readText('VENDOR_SERVER_TOKEN', env.VENDOR_SERVER_TOKEN),
      webhookUrl: readUrl('ARRAY_WEBHOOK_URL', env.ARRAY_WEBHOOK_URL),
      webhookSecret: readSecret('ARRAY_WEBHOOK_SECRET', env.ARRAY_WEBHOOK_SECRET),
    },
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new SandboxConfigError(`SANDBOX_PORT must be a port from 0 to 65535, not "${text}"`);
  }
  return port;
}

function readUrl(name: string, text: string | undefined): string {
  if (!text || !URL.canParse(text) || !/^https?:/.test(text))
    throw new SandboxConfigError(`${name} must be an http(s) URL`);
  return text.replace(/\/+$/, '');
}

function readText(name: string, text: string | undefined): string {
  if (!text) throw new SandboxConfigError(`${name} is missing`);
  return text;
}

function readSecret(name: string, text: string | undefined): string {
  if (!text || !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(text)) {
    throw new SandboxConfigError(`${name} must be whsec_ followed by at least 24 bytes in base64`);
  }
  return text;
}

function readKeys(name: string, text: string | undefined): string {
  try {
    new CheckoutTokens(text ?? '');
  } catch (error) {
    throw new SandboxConfigError(`${name}: ${(error as Error).message}`);
  }
  return text ?? '';
}
