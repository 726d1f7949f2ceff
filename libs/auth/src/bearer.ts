/** The maximum length of a token. Node limits all headers together to 16 KiB. */
const MAX_TOKEN_LENGTH = 8_192;
/** RFC 6750, section 2.1: the scheme, whose case does not matter, and the token. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/**
 * Returns the token of an `Authorization` header.
 *
 * @returns null when the header is missing, has another scheme or no token, or when its token has more than 8,192 characters
 */
export function bearerTokenOf(authorization: string | undefined): string | null {
  const token = BEARER.exec(authorization ?? '')?.[1];
  return token === undefined || token.length > MAX_TOKEN_LENGTH ? null : token;
}
