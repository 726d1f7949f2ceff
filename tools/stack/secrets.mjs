import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { APPS, CALLERS } from '../../apps/apps.js';
import { readJson, SECRETS_FILE, writePrivately } from './paths.mjs';

const base64 = (bytes) => randomBytes(bytes).toString('base64');
const text = (bytes) => randomBytes(bytes).toString('base64url');

/** Returns the name of the stack's secret that contains an app's FIELD_ENCRYPTION_KEYS. @param {{ role: string }} app */
export const encryptionKeysOf = ({ role }) => `${role}EncryptionKeys`;

/** The generators of the secrets of a development stack, except passwords of roles and private keys. */
const MAKERS = {
  paymentsWebhookSecret: () => `whsec_${base64(32)}`,
  paymentsWebhookPreviousSecret: () => `whsec_${base64(32)}`,
  arrayWebhookSecret: () => `whsec_${base64(32)}`,
  arrayWebhookPreviousSecret: () => `whsec_${base64(32)}`,
  vendorAppKey: () => text(16),
  vendorServerToken: () => text(32),
  emailHashKey: () => base64(32),
  couponHashKey: () => base64(32),
  profileHashKey: () => base64(32),
  checkoutSigningKeys: () => `k1:${base64(32)}`,
  cursorSigningKeys: () => base64(32),
  ...Object.fromEntries(
    APPS.filter(({ encryptsFields }) => encryptsFields).map((app) => [encryptionKeysOf(app), () => `k1:${base64(32)}`]),
  ),
  inboxKey: () => text(24),
};

/** The generators of the passwords of the database roles. */
const PASSWORD_MAKERS = Object.fromEntries(APPS.map(({ role }) => [role, () => text(18)]));

/** Generates a private key as PKCS #8 in base64: the content of a PEM file, on one line. */
const privateKey = () =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

/** The generators of the private keys with which the callers of internal routes sign their tokens. */
const SERVICE_KEY_MAKERS = Object.fromEntries(CALLERS.map((caller) => [caller, privateKey]));

/** Returns the public key of a caller's private key, in base64. @param {string} encoded */
export const publicKeyOf = (encoded) =>
  createPublicKey(createPrivateKey({ key: Buffer.from(encoded, 'base64'), format: 'der', type: 'pkcs8' }))
    .export({ format: 'der', type: 'spki' })
    .toString('base64');

/** Returns the existing secrets, and generates the missing ones. A stack that is older than an app lacks the secrets of that app. */
const made = (makers, kept) => ({
  ...kept,
  ...Object.fromEntries(
    Object.entries(makers)
      .filter(([name]) => !(name in kept))
      .map(([name, make]) => [name, make()]),
  ),
});

/** Returns a complete set of secrets: the existing secrets, and new secrets in place of missing ones. */
export const makeSecrets = (kept = {}) => ({
  ...made(MAKERS, kept),
  rolePasswords: made(PASSWORD_MAKERS, kept.rolePasswords ?? {}),
  serviceKeys: made(SERVICE_KEY_MAKERS, kept.serviceKeys ?? {}),
});

/** Returns the secrets of the stack. Generates the missing ones, and stores them next to the stack's data. */
export function readSecrets() {
  const kept = readJson(SECRETS_FILE) ?? {};
  const secrets = makeSecrets(kept);
  if (JSON.stringify(secrets) !== JSON.stringify(kept)) writePrivately(SECRETS_FILE, secrets);
  return secrets;
}
