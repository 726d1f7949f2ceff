import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CheckoutClaims, CheckoutTokens } from '@tandem/auth';
import { startSandbox, type RunningSandbox } from '../src/server';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const ARRAY_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
export const VENDOR_ACCESS = { appKey: 'app-key', serverToken: 'server-token' };

export const CONSOLE_URL = 'http://127.0.0.1:8080/console';

const CHECKOUT_SIGNING_KEYS = `k1:${Buffer.alloc(32, 9).toString('base64')}`;

/** Creates a checkout token with the sandbox's key. By default it gives 20 % off, has no reference, and is valid for an hour. */
export const checkoutToken = (claims: Partial<CheckoutClaims> = {}): string =>
  new CheckoutTokens(CHECKOUT_SIGNING_KEYS).sign({
    partnerId: 'ptn_1',
    promotionId: 'prm_1',
    percentOff: 20,
    environment: 'live',
    refId: null,
    expiresAt: new Date(Date.now() + 3_600_000),
    ...claims,
  });

/** Starts a sandbox on a free port, with its own folder unless `dataDir` names one. */
export async function openSandbox(
  options: {
    webhookUrl?: string;
    arrayWebhookUrl?: string;
    dataDir?: string;
    url?: string;
    webhookRetryDelaysMs?: number[];
  } = {},
) {
  const dataDir = options.dataDir ?? mkdtempSync(path.join(tmpdir(), 'sandbox-'));
  const sandbox: RunningSandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    url: options.url,
    dataDir,
    consoleUrl: CONSOLE_URL,
    webhookUrl: options.webhookUrl ?? 'http://127.0.0.1:9/idp/payments/webhook',
    webhookSecret: WEBHOOK_SECRET,
    checkoutSigningKeys: CHECKOUT_SIGNING_KEYS,
    webhookRetryDelaysMs: options.webhookRetryDelaysMs,
    vendor: {
      ...VENDOR_ACCESS,
      webhookUrl: options.arrayWebhookUrl ?? 'http://127.0.0.1:9/idp/array/webhook',
      webhookSecret: ARRAY_WEBHOOK_SECRET,
    },
  });
  return {
    url: sandbox.url,
    dataDir,
    close: () => sandbox.close(),
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
    /** Sends a request with a JSON body, which `init` can override, and reads the JSON of the answer. */
    async call(method: string, path: string, body?: unknown, init: RequestInit = {}) {
      const response = await fetch(`${sandbox.url}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        ...init,
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : null) as unknown };
    },
  };
}

export type OpenSandbox = Awaited<ReturnType<typeof openSandbox>>;
