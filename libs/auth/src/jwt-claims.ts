import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { InvalidTokenError } from './auth.errors';

/** The type of a token whose header has no `typ` (optional by RFC 7519, section 5.1): such a token counts as an access token. */
const DEFAULT_TYPE = 'jwt';

/** Reads parts of a token whose signature is not verified yet: use them only to choose the keys or to refuse the token. */
export function unverified(token: string): { typ: unknown; iss: unknown } {
  try {
    return { typ: decodeProtectedHeader(token).typ, iss: decodeJwt(token).iss };
  } catch (cause) {
    throw new InvalidTokenError('The text is not a JWT', { cause });
  }
}

/** Returns whether a JWT's `typ` is one of these types. A JWT without `typ` has the type `jwt`. */
export function isOfType(type: unknown = DEFAULT_TYPE, types: readonly string[]): boolean {
  return typeof type === 'string' && types.includes(type.toLowerCase().replace(/^application\//, ''));
}

/** Returns the scopes of the claim `scope`, which may be a text of words or a list. */
export function scopesOf({ scope }: JWTPayload): ReadonlySet<string> {
  const words = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scope) ? scope : [];
  return new Set(words.filter((word): word is string => typeof word === 'string' && word !== ''));
}
