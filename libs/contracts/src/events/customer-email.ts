import { createHmac } from 'node:crypto';
import { domainToASCII } from 'node:url';

/**
 * Matches invisible characters (zero-width spaces and joiners, soft hyphens, direction marks) and control characters.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu;
/** Matches trailing dots. IDNA treats an ideographic full stop (U+3002) as a dot. */
const TRAILING_DOTS = /[.\u3002]+$/;
const DOMAIN = /^[\p{L}\p{M}\p{N}.\u3002-]+$/u;
const GMAIL_DOMAINS: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com']);

/**
 * Removes differences that do not matter in a comparison: compatibility forms (full width, ligatures, decomposed
 * letters), case, invisible characters, and white space at both ends.
 */
const foldText = (text: string): string =>
  text.normalize('NFKC').toLowerCase().normalize('NFKC').replace(INVISIBLE, '').trim();

/**
 * Returns the normalized form of a domain, for comparing domains: folded text, IDNA (`bücher.example` →
 * `xn--bcher-kva.example`), no trailing dots. A text that is not a domain is returned folded, without trailing dots.
 */
export function comparableDomain(domain: string): string {
  const folded = foldText(domain).replace(TRAILING_DOTS, '');
  const ascii = DOMAIN.test(folded) ? domainToASCII(folded) : '';
  return (ascii || folded).replace(TRAILING_DOTS, '');
}

/**
 * Returns the normalized form of an e-mail address, for comparing buyers: the usual spellings of one mailbox have one form.
 * The text is folded, the domain is normalized by {@link comparableDomain}, and quotes around the local part and a
 * `+tag` are removed. For Gmail, dots in the local part are removed too, and `googlemail.com` becomes `gmail.com`. This
 * form is only hashed: it is never displayed, and no mail is sent to it.
 */
export function comparableEmail(email: string): string {
  const folded = foldText(email);
  const at = folded.lastIndexOf('@');
  if (at < 0) return folded;
  const domain = comparableDomain(folded.slice(at + 1));
  const local = withoutTag(unquoted(folded.slice(0, at)));
  return GMAIL_DOMAINS.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`;
}

const unquoted = (local: string): string => (/^".+"$/.test(local) ? local.slice(1, -1).replace(/\\(.)/g, '$1') : local);

/**
 * Removes the tag of a local part. A plus sign at the start does not begin a tag, because the local part would then be
 * empty.
 */
function withoutTag(local: string): string {
  const plus = local.indexOf('+', 1);
  return plus < 0 ? local : local.slice(0, plus);
}

/** Returns the domain of an address, masked or not, in the form of {@link comparableDomain}; `''` without an `@`. */
export function comparableDomainOf(email: string): string {
  const folded = foldText(email);
  const at = folded.lastIndexOf('@');
  return at < 0 ? '' : comparableDomain(folded.slice(at + 1));
}

/**
 * Returns the hash by which e-mail addresses are compared (`customer.emailHash` of `payment.received`). With the hash,
 * a buyer can be recognized without the address. The hash is HMAC-SHA-256 in hex, over the address as
 * {@link comparableEmail} returns it.
 */
export function emailHash(email: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(comparableEmail(email), 'utf8').digest('hex');
}

/**
 * Masks an address for people who need to recognize it but must not use it. The result keeps the first and the last
 * character of the local part (`j***e@example.com`), or no character if the local part has at most two
 * (`***@example.com`). Characters are code points.
 */
export function maskEmail(email: string): string {
  const trimmed = email.trim();
  const at = trimmed.lastIndexOf('@');
  const local = [...trimmed.slice(0, at)];
  const masked = local.length <= 2 ? '***' : `${local.at(0)}***${local.at(-1)}`;
  return masked + trimmed.slice(at);
}
