import { randomBytes } from 'node:crypto';
import { readJson, SECRETS_FILE, writePrivately } from './paths.mjs';

const base64 = (bytes) => randomBytes(bytes).toString('base64');
const text = (bytes) => randomBytes(bytes).toString('base64url');

/** How each secret of a development stack is made. */
const MAKERS = {
  rolePasswords: () => Object.fromEntries(['partner', 'ingest', 'postback', 'bus'].map((role) => [role, text(18)])),
  paymentsWebhookSecret: () => `whsec_${base64(32)}`,
  paymentsWebhookPreviousSecret: () => `whsec_${base64(32)}`,
  internalTokenSecret: () => text(32),
  emailHashKey: () => base64(32),
  checkoutSigningKeys: () => `k1:${base64(32)}`,
  partnerEncryptionKeys: () => `k1:${base64(32)}`,
  ingestEncryptionKeys: () => `k1:${base64(32)}`,
  postbackEncryptionKeys: () => `k1:${base64(32)}`,
  inboxKey: () => text(24),
};

/** The stack's own secrets: made once, kept as long as its data, and never printed. */
export function readSecrets() {
  const kept = readJson(SECRETS_FILE) ?? {};
  const missing = Object.entries(MAKERS).filter(([name]) => !(name in kept));
  for (const [name, make] of missing) kept[name] = make();
  if (missing.length > 0) writePrivately(SECRETS_FILE, kept);
  return kept;
}
