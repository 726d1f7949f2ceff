import type { Postback, SaleClosedNotice } from '../types.ts';
import { hmacOf, keysOf } from './signing-keys.ts';

/** Why a postback is refused. `malformed_body`: the body is signed, but is no JSON object, or lacks fields of a sale or a notice. */
export type RefusalReason =
  | 'authorization_mismatch'
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'malformed_body';

/** The postback is refused for `reason`: answer 401. */
export class PostbackVerificationError extends Error {
  override readonly name = 'PostbackVerificationError';

  constructor(readonly reason: RefusalReason) {
    super(`the postback is refused: ${reason}`);
  }
}

/** A `Headers` object, or an object of names and values as Node provides it. */
export type PostbackHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The body exactly as it was received: JSON that was parsed and serialized again may differ. */
export type RawBody = string | Uint8Array | ArrayBuffer;

export interface VerificationOptions {
  /** The whole `Authorization` header that you expect: `Bearer <key>`, or `Basic <base64 of user:password>`. Default: not compared. */
  readonly authorization?: string;
  /** The time with which the timestamp is compared. Default: the current time. */
  readonly now?: Date;
  /** How far the timestamp may be from `now`, in the past or in the future. Default 300. */
  readonly toleranceSeconds?: number;
}

/** What a handler learns about a postback in addition to its body. */
export interface PostbackContext {
  /** `webhook-id`: the same for every retry and replay. The notice of a closure has a different id from the postback of its sale. */
  readonly id: string;
  /** The time at which this attempt was signed. */
  readonly timestamp: Date;
  /** Whether the postback is a sample that `tandem.postback.test()` or a manager requested. A sample reports no sale. */
  readonly isSample: boolean;
  /** Whether the header `X-Environment` is `test`: nothing was paid for a test. The header is not signed. */
  readonly isTest: boolean;
}

/** What the signed body is. `other` is an event that this version of the SDK does not know: answer 200. */
export type PostbackContent =
  | { readonly kind: 'sale'; readonly postback: Postback }
  | { readonly kind: 'closure'; readonly postback: SaleClosedNotice }
  | { readonly kind: 'other'; readonly postback: Readonly<Record<string, unknown>> };

export type VerifiedPostback = PostbackContext & PostbackContent;

/**
 * Verifies a postback (https://www.standardwebhooks.com): HMAC-SHA-256 of `id.timestamp.body`, compared in constant time.
 *
 * @param secrets `whsec_…`. Pass two during a rotation: one of them must match
 * @throws PostbackVerificationError with the reason
 * @throws TypeError when a secret is not `whsec_` and base64 of 24 to 64 bytes, when there is no secret, or when the body is
 *   neither text nor bytes
 */
export async function verifyPostback(
  headers: PostbackHeaders,
  rawBody: RawBody,
  secrets: string | readonly string[],
  { authorization, now = new Date(), toleranceSeconds = 300 }: VerificationOptions = {},
): Promise<VerifiedPostback> {
  const keys = keysOf(secrets);
  if (authorization !== undefined && !equal(headerOf(headers, 'authorization') ?? '', authorization))
    throw new PostbackVerificationError('authorization_mismatch');
  const id = required(headers, 'webhook-id');
  const seconds = required(headers, 'webhook-timestamp');
  const signatures = required(headers, 'webhook-signature');
  if (!/^[\x21-\x7e]{1,255}$/.test(id) || !/^\d{1,12}$/.test(seconds))
    throw new PostbackVerificationError('malformed_header');

  const age = Math.floor(now.getTime() / 1000) - Number(seconds);
  // The conditions are written so that NaN is refused.
  if (!(age <= toleranceSeconds)) throw new PostbackVerificationError('timestamp_too_old');
  if (!(-age <= toleranceSeconds)) throw new PostbackVerificationError('timestamp_too_new');

  const body = bytesOf(rawBody);
  const signed = joined(new TextEncoder().encode(`${id}.${seconds}.`), body);
  const received = signatures.split(' ').filter((entry) => entry.startsWith('v1,'));
  // Every secret is compared with every signature, even after a match, so that the duration does not reveal which of them
  // matched.
  let matches = 0;
  for (const key of keys) {
    const expected = `v1,${await hmacOf(key, signed)}`;
    for (const entry of received) matches += equal(entry, expected) ? 1 : 0;
  }
  if (matches === 0) throw new PostbackVerificationError('signature_mismatch');
  const content = contentOf(body);
  const isSample = String(content.postback.oid).startsWith('test_');
  const isTest = headerOf(headers, 'x-environment') === 'test';
  return { id, timestamp: new Date(Number(seconds) * 1000), isSample, isTest, ...content };
}

function required(headers: PostbackHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (!value) throw new PostbackVerificationError('missing_header');
  return value;
}

/** Returns a header by its name in lower case. @throws PostbackVerificationError when an object of names and values has the header twice */
function headerOf(headers: PostbackHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const values = Object.entries(headers).filter(([key, value]) => key.toLowerCase() === name && value !== undefined);
  const value = values[0]?.[1];
  if (values.length > 1 || (value !== undefined && typeof value !== 'string'))
    throw new PostbackVerificationError('malformed_header');
  return value;
}

/** Compares two texts in constant time, so that the duration does not reveal how many characters match. */
function equal(received: string, expected: string): boolean {
  if (received.length !== expected.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at++) difference |= received.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}

function bytesOf(body: RawBody): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body);
  throw new TypeError('the raw body must be a string or bytes, as it was received');
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

/** Distinguishes sales and notices by the body alone, because the body is signed and `X-Event` is not. */
function contentOf(bytes: Uint8Array): PostbackContent {
  const body = parsed(bytes);
  const { event, oid, items, status } = body;
  if (event === undefined && typeof oid === 'string' && Array.isArray(items))
    return { kind: 'sale', postback: body as Postback };
  if (event === 'sale.closed' && typeof oid === 'string' && typeof status === 'string')
    return { kind: 'closure', postback: body as SaleClosedNotice };
  if (event === undefined || event === 'sale.closed') throw new PostbackVerificationError('malformed_body');
  return { kind: 'other', postback: body };
}

function parsed(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The signed body is not UTF-8, or not JSON. It is refused below, like JSON that is not an object.
  }
  throw new PostbackVerificationError('malformed_body');
}
