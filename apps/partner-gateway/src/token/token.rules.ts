import type { PartnerScope } from '@tandem/auth';
import type { FieldProblem } from '@tandem/http-api';
import type { PartnerKind } from '../partner/partner.entity';

/** The scopes that tokens of each integration kind can have. */
export const SCOPES_OF: Readonly<Record<PartnerKind, readonly PartnerScope[]>> = {
  promotion: ['checkout:create', 'sales:read', 'sales:revoke', 'postback:read', 'postback:write'],
  voucher: ['vouchers:read', 'vouchers:create'],
};

/** Returns the problems of a requested token for a partner of this kind; none when the token can be issued. */
export function problemsOfToken(
  kind: PartnerKind,
  { scopes, expiresAt }: { scopes: readonly PartnerScope[]; expiresAt: Date | null },
  now: Date,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const own = SCOPES_OF[kind];
  const foreign = scopes.filter((scope) => !own.includes(scope));
  if (foreign.length > 0) {
    const message = `a ${kind} partner cannot have ${foreign.join(', ')}; its scopes are ${own.join(', ')}`;
    problems.push({ field: 'scopes', message });
  }
  if (expiresAt !== null && expiresAt <= now) {
    problems.push({ field: 'expiresAt', message: 'expiresAt must be in the future' });
  }
  return problems;
}
