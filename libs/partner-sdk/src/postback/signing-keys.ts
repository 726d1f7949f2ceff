import { webCrypto } from '../web-crypto.ts';

const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/**
 * Returns the keys of signing secrets.
 *
 * @throws TypeError when a secret is not `whsec_` and base64 of 24 to 64 bytes, or when there is no secret
 */
export function keysOf(secrets: Secret | readonly Secret[]): Uint8Array<ArrayBuffer>[] {
  const keys = (typeof secrets === 'object' && secrets !== null ? secrets : [secrets]).map(keyOf);
  if (keys.length === 0) throw new TypeError('at least one signing secret is needed: is its variable set?');
  return keys;
}

/** A program without type checks can pass undefined: the value of an environment variable that is not set. */
type Secret = string | null | undefined;

function keyOf(secret: Secret): Uint8Array<ArrayBuffer> {
  if (!secret) throw new TypeError('a signing secret is empty: is its variable set?');
  const [, base64] =
    /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/.exec(secret) ?? [];
  const key = Uint8Array.from(atob(base64 ?? ''), (symbol) => symbol.charCodeAt(0));
  if (key.length < MIN_SECRET_BYTES || key.length > MAX_SECRET_BYTES)
    throw new TypeError('a signing secret is whsec_ followed by the base64 of 24 to 64 bytes');
  return key;
}

/** HMAC-SHA-256, as base64. */
export async function hmacOf(key: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = webCrypto();
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return btoa(String.fromCharCode(...new Uint8Array(await subtle.sign('HMAC', imported, data))));
}
