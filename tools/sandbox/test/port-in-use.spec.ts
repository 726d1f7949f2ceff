import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { forkSource, JsonServer } from '@tandem/testing';
import { ARRAY_WEBHOOK_SECRET, VENDOR_ACCESS, WEBHOOK_SECRET } from './sandbox';

it('names the variable with the port of the sandbox when the port is in use', async () => {
  const other = await JsonServer.start();
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sandbox-'));
  const env = {
    SANDBOX_PORT: new URL(other.url).port,
    SANDBOX_DATA_DIR: dataDir,
    PAYMENTS_WEBHOOK_URL: other.url,
    PAYMENTS_WEBHOOK_SECRET: WEBHOOK_SECRET,
    CHECKOUT_SIGNING_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}`,
    VENDOR_APP_KEY: VENDOR_ACCESS.appKey,
    VENDOR_SERVER_TOKEN: VENDOR_ACCESS.serverToken,
    ARRAY_WEBHOOK_URL: other.url,
    ARRAY_WEBHOOK_SECRET,
  };
  const sandbox = forkSource(path.join(__dirname, '../src/main.ts'), env, { stderr: 'pipe' });
  try {
    const [err, [code]] = await Promise.all([text(sandbox.stderr as Readable), once(sandbox, 'exit')]);
    expect([code, err]).toEqual([1, expect.stringMatching(/EADDRINUSE.*\(set SANDBOX_PORT to another port\)\n$/)]);
  } finally {
    sandbox.kill('SIGKILL');
    await other.stop();
    rmSync(dataDir, { recursive: true });
  }
}, 30_000);
