import { createHmac } from 'node:crypto';

/**
 * The hash by which e-mail addresses are compared: the same as in `payment.received`, so that a buyer can be recognised
 * without either side telling the address. HMAC-SHA-256, hex, over the trimmed, lower-cased, NFC-normalised address.
 */
export function emailHash(email: string, key: Buffer): string {
  return createHmac('sha256', key).update(email.trim().toLowerCase().normalize('NFC'), 'utf8').digest('hex');
}

/** For people who need to recognise an address, not to use it: `j***e@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const local = [...email.slice(0, at)];
  const masked = local.length <= 2 ? '***' : `${local.at(0)}***${local.at(-1)}`;
  return masked + email.slice(at);
}
