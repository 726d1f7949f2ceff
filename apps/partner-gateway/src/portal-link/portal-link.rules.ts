import { createHash, randomBytes } from 'node:crypto';
import type { PartnerScope } from '@tandem/auth';
import type { PartnerKind } from '../partner/partner.entity';
import { scopesOf } from '../token/token.rules';

/** The lifetime of a portal session. */
export const SESSION_MS = 12 * 3_600_000;

const CODE_BYTES = 32;
const CODE = /^[A-Za-z0-9_-]{43}$/;

/** Generates the code of a link: 256 random bits as base64url. The code is shown only once. Store only its hash (see {@link hashPortalCode}). */
export const generatePortalCode = (): string => randomBytes(CODE_BYTES).toString('base64url');

/** Whether a text has the form of a code. Any other text is refused without a query. */
export const isPortalCode = (text: string): boolean => CODE.test(text);

/** Returns the SHA-256 of a code, in 32 bytes. */
export const hashPortalCode = (code: string): Buffer => createHash('sha256').update(code, 'utf8').digest();

/** The scopes of a portal session for a partner of this kind, in either environment: nobody listens with a session of the console. */
export const scopesOfPortal = (kind: PartnerKind, { readOnly }: { readOnly: boolean }): PartnerScope[] =>
  scopesOf(kind, 'live').filter((scope) => !readOnly || scope.endsWith(':read'));
