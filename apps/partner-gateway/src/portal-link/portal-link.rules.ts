import { createHash, randomBytes } from 'node:crypto';
import type { PartnerScope } from '@tandem/auth';
import type { PartnerKind } from '../partner/partner.entity';
import { scopesOf } from '../token/token.rules';

/** The lifetime of a portal session. */
export const SESSION_MS = 12 * 3_600_000;

const CODE_BYTES = 32;
const CODE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Generates the code of a link: 256 random bits as base64url. The code is shown only once; only its hash may be stored (see {@link
 * hashPortalCode}).
 */
export const generatePortalCode = (): string => randomBytes(CODE_BYTES).toString('base64url');

/** Returns whether a string has the form of a code. Any other string is refused without a query. */
export const isPortalCode = (text: string): boolean => CODE.test(text);

/** Returns the SHA-256 hash of a code, in 32 bytes. */
export const hashPortalCode = (code: string): Buffer => createHash('sha256').update(code, 'utf8').digest();

/**
 * Returns the scopes of a portal session for a partner of this kind. Sessions of both environments have the same scopes. `postback:listen`,
 * which only test tokens can have, is never included, because the portal does not need it.
 */
export const scopesOfPortal = (kind: PartnerKind, { readOnly }: { readOnly: boolean }): PartnerScope[] =>
  scopesOf(kind, 'live').filter((scope) => !readOnly || scope.endsWith(':read'));
