import type { PartnerScope } from '@tandem/auth';
import type { Environment } from '@tandem/contracts';
import type { FieldProblem } from '@tandem/http-api';
import type { PartnerKind } from '../partner/partner.entity';

/** The scopes that exist for each integration kind. */
const SCOPES_OF: Readonly<Record<PartnerKind, readonly PartnerScope[]>> = {
  promotion: ['checkout:create', 'sales:read', 'sales:revoke', 'postback:read', 'postback:write', 'postback:listen'],
  voucher: ['vouchers:read', 'vouchers:create'],
};
const ONLY_IN_TEST: readonly PartnerScope[] = ['postback:listen'];

/** Returns the scopes that tokens of an integration kind can have in an environment. */
export const scopesOf = (kind: PartnerKind, environment: Environment): PartnerScope[] =>
  SCOPES_OF[kind].filter((scope) => environment === 'test' || !ONLY_IN_TEST.includes(scope));

/** A token that a manager wants to issue. */
interface WantedToken {
  readonly environment: Environment;
  readonly scopes: readonly PartnerScope[];
  readonly expiresAt: Date | null;
}

/** Returns the problems of the token that a manager wants to issue for a partner of this kind. Returns none when it can be issued. */
export function problemsOfToken(
  kind: PartnerKind,
  { environment, scopes, expiresAt }: WantedToken,
  now: Date,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const own = scopesOf(kind, environment);
  const foreign = scopes.filter((scope) => !own.includes(scope));
  if (foreign.length > 0) {
    const message = `a ${environment} token of a ${kind} partner cannot have ${foreign.join(', ')}; its scopes are ${own.join(', ')}`;
    problems.push({ field: 'scopes', message });
  }
  if (expiresAt !== null && expiresAt <= now) {
    problems.push({ field: 'expiresAt', message: 'expiresAt must be in the future' });
  }
  return problems;
}

/** Returns the `actor` of a partner in audit rows: the portal link of the partner's session or, without a session, the partner's token. */
export const actorOf = ({ tokenId, portalLinkId }: { tokenId: string; portalLinkId: string | null }): string =>
  portalLinkId === null ? `token:${tokenId}` : `portal-link:${portalLinkId}`;
