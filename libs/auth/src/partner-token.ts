import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '@tandem/contracts';

/** The scopes that a partner token can have. */
export const PARTNER_SCOPES = [
  'checkout:create',
  'sales:read',
  'sales:revoke',
  'postback:read',
  'postback:write',
  'postback:listen',
  'vouchers:read',
  'vouchers:create',
] as const;
export type PartnerScope = (typeof PARTNER_SCOPES)[number];

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORM = /^(ptk_(live|test)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/**
 * Creates a partner token: `ptk_live_` or `ptk_test_`, 32 random base62 characters (190 bits), and a checksum.
 * Show the token once, and store only the hash that {@link hashPartnerToken} returns.
 */
export function generatePartnerToken(environment: Environment): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  const body = `ptk_${environment}_${random}`;
  return body + checksumOf(body);
}

/**
 * Checks the form of a partner token, so that a mistyped token costs no database query.
 * @returns null if the form or the checksum is wrong. A token with a valid form may never have been issued.
 */
export function parsePartnerToken(text: string): { environment: Environment } | null {
  const match = FORM.exec(text);
  if (!match) return null;
  const [, body = '', environment, checksum] = match;
  return checksumOf(body) === checksum ? { environment: environment as Environment } : null;
}

/**
 * Returns the SHA-256 of a token (32 bytes), under which the token is stored and found. A plain hash is enough, because the token is
 * random and too long for anybody to try all values.
 */
export function hashPartnerToken(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/**
 * Returns the checksum of a token: the CRC32 of everything before it, in base62. The checksum covers the prefix: a live token whose
 * prefix is changed to that of a test token has the wrong checksum.
 */
function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
