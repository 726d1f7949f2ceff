/** The settings for the sign-in of the console. */
export interface ConsoleSettings {
  /** The OpenID Connect provider; empty: managers and support cannot sign in. */
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
}

/** The Cache-Control of pages: a deployment may replace them at any time. */
export const PAGE_CACHE = 'no-cache';
/** The Cache-Control of files whose name contains a hash of their content. */
export const MEDIA_CACHE = 'public, max-age=31536000, immutable';

/**
 * Returns the Content-Security-Policy of a site. The site may load its own files, and send requests to its own origin and to the sign-in provider.
 * Only styles are allowed `unsafe-inline`, because scripts add style elements and style attributes.
 *
 * @param issuerOrigin the provider's scheme, host and port; empty when the site has no provider
 */
export const consolePolicy = (issuerOrigin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${issuerOrigin}`.trim(),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Returns the headers that every answer of the console has. */
export const consoleHeaders = ({ issuer }: ConsoleSettings): Record<string, string> =>
  siteHeaders(issuer === '' ? '' : new URL(issuer).origin);

/** Returns the headers that every answer of a site has. */
export const siteHeaders = (issuerOrigin = ''): Record<string, string> => ({
  'content-security-policy': consolePolicy(issuerOrigin),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
});
