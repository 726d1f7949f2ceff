import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { InvalidSecretError, WebhookVerificationError } from './auth.errors';

/** Header names of a Standard Webhooks message (https://www.standardwebhooks.com), in lower case as in Node. */
export const WEBHOOK_ID_HEADER = 'webhook-id';
export const WEBHOOK_TIMESTAMP_HEADER = 'webhook-timestamp';
export const WEBHOOK_SIGNATURE_HEADER = 'webhook-signature';

const SECRET_PREFIX = 'whsec_';
const NEW_SECRET_BYTES = 32;
/** The specification's bounds for the length of a secret. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;
const UNIX_SECONDS = /^\d{1,12}$/;

/** Headers as Node provides them: lower-case names. */
export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The input of {@link verifyWebhook}. */
export interface WebhookVerification {
  /** Secrets of the form `whsec_…`; two during a rotation. The message is valid if any of these secrets signed it. */
  readonly secrets: readonly string[];
  readonly headers: WebhookHeaders;
  /** The bytes as received, before any parsing. */
  readonly rawBody: Buffer;
  readonly now: Date;
  /** How far the timestamp may be from `now`, in the past or in the future. Default 300. */
  readonly toleranceSeconds?: number;
}

/**
 * Verifies a Standard Webhooks message: its timestamp, and its HMAC-SHA-256 of `id.timestamp.body`, compared in constant time.
 * @returns the message's `webhook-id` and `webhook-timestamp`
 * @throws WebhookVerificationError with the reason
 * @throws InvalidSecretError when a secret is not `whsec_` followed by the base64 of 24 to 64 bytes
 */
export function verifyWebhook(verification: WebhookVerification): { id: string; timestamp: Date } {
  const { secrets, headers, rawBody, now, toleranceSeconds = 300 } = verification;
  const id = headerOf(headers, WEBHOOK_ID_HEADER);
  const seconds = headerOf(headers, WEBHOOK_TIMESTAMP_HEADER);
  const signatures = headerOf(headers, WEBHOOK_SIGNATURE_HEADER);
  if (!VISIBLE_ASCII.test(id) || !UNIX_SECONDS.test(seconds)) throw new WebhookVerificationError('malformed_header');

  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(seconds);
  if (ageSeconds > toleranceSeconds) throw new WebhookVerificationError('timestamp_too_old');
  if (-ageSeconds > toleranceSeconds) throw new WebhookVerificationError('timestamp_too_new');

  const received = signatures.split(' ').filter((entry) => entry.startsWith('v1,'));
  // Every secret is compared with every signature, even after a match, so that the duration does not reveal which of them
  // matched.
  let matches = 0;
  for (const secret of secrets) {
    const expected = signatureOf(secret, id, seconds, rawBody);
    for (const entry of received) matches += equal(entry, expected) ? 1 : 0;
  }
  if (matches === 0) throw new WebhookVerificationError('signature_mismatch');
  return { id, timestamp: new Date(Number(seconds) * 1000) };
}

/** The input of {@link signWebhook}: the message, and the secrets that sign it. */
export interface WebhookToSign {
  /** Each secret adds one `v1,…` entry to the header, in this order. A key from {@link webhookKey} spares decoding the secret again. */
  readonly secrets: readonly (string | KeyObject)[];
  /** Sent as `webhook-id`. */
  readonly id: string;
  /** The time of the message. Sent as `webhook-timestamp`, in whole Unix seconds ({@link webhookTimestampHeader}). */
  readonly timestamp: Date;
  readonly body: string | Buffer;
}

/**
 * Signs a message.
 * @returns the `webhook-signature` header: a space-separated list of `v1,<base64>`
 * @throws InvalidSecretError when a secret is not `whsec_` followed by the base64 of 24 to 64 bytes
 */
export function signWebhook({ secrets, id, timestamp, body }: WebhookToSign): string {
  const seconds = webhookTimestampHeader(timestamp);
  return secrets.map((secret) => signatureOf(secret, id, seconds, body)).join(' ');
}

/**
 * Returns the key of a secret. To sign many messages, pass the key to {@link signWebhook} instead of the secret.
 *
 * @throws InvalidSecretError when the secret is not `whsec_` followed by the base64 of 24 to 64 bytes
 */
export const webhookKey = (secret: string): KeyObject => createSecretKey(keyOf(secret));

/** Returns the `webhook-timestamp` header of a time: whole Unix seconds. */
export function webhookTimestampHeader(timestamp: Date): string {
  return String(Math.floor(timestamp.getTime() / 1000));
}

/** Creates a signing secret: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64');
}

/** Checks a configured secret. @throws InvalidSecretError when the text is not `whsec_` followed by the base64 of 24 to 64 bytes */
export function assertWebhookSecret(secret: string): void {
  keyOf(secret);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers[name];
  if (value === undefined || value === '') throw new WebhookVerificationError('missing_header');
  if (typeof value !== 'string') throw new WebhookVerificationError('malformed_header');
  return value;
}

function signatureOf(secret: string | KeyObject, id: string, seconds: string, body: string | Buffer): string {
  const hmac = createHmac('sha256', typeof secret === 'string' ? keyOf(secret) : secret);
  return `v1,${hmac.update(`${id}.${seconds}.`, 'utf8').update(body).digest('base64')}`;
}

function keyOf(secret: string): Buffer {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  const key = BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (key.length < MIN_SECRET_BYTES || key.length > MAX_SECRET_BYTES) {
    throw new InvalidSecretError('A webhook secret is whsec_ followed by the base64 of 24 to 64 bytes');
  }
  return key;
}

function equal(received: string, expected: string): boolean {
  const one = Buffer.from(received, 'utf8');
  const other = Buffer.from(expected, 'utf8');
  return one.length === other.length && timingSafeEqual(one, other);
}
