import { createHmac } from 'node:crypto';

/**
 * The hash by which e-mail addresses are compared, so that a buyer can be recognised without anybody telling the address:
 * `customer.emailHash` of `payment.received`. HMAC-SHA-256, hex, over the trimmed, lower-cased, NFC-normalised address.
 */
export function emailHash(email: string, key: Buffer): string {
  return createHmac('sha256', key).update(email.trim().toLowerCase().normalize('NFC'), 'utf8').digest('hex');
}

/**
 * An address for people who need to recognise it, not to use it: first and last character of the local part
 * (`j***e@example.com`), none of them when it has two or fewer (`***@example.com`). Characters are code points.
 */
export function maskEmail(email: string): string {
  const trimmed = email.trim();
  const at = trimmed.lastIndexOf('@');
  const local = [...trimmed.slice(0, at)];
  const masked = local.length <= 2 ? '***' : `${local.at(0)}***${local.at(-1)}`;
  return masked + trimmed.slice(at);
}
