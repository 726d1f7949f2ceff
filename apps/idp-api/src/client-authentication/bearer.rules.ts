/** The credentials of an `Authorization: Bearer` header (RFC 6750; the scheme's case does not matter), or null. */
export function bearerTokenOf(header: string | undefined): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1] ?? null;
}
