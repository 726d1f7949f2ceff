import { generatePartnerToken, issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { newKrn } from '@tandem/stack-client';
import type { Outside, PartnerAccounts } from '../src';
import type { RunningApps } from './apps';

import type { Right } from './required-rights';

/** A kind of caller. */
export interface Caller {
  readonly name: string;
  readonly rights: readonly Right[];
  /** Who issued the token. Undefined for a token whose refusals are all 401, never 403. */
  readonly issuer?: 'partner-gateway' | 'service';
  /** Returns the token for a request to an operation; an operation is named like `GET /admin/partners`. */
  readonly token: (operation: string) => string | undefined | Promise<string | undefined>;
}

const PROMOTION: readonly Right[] = [
  ...(['partner', 'checkout:create', 'sales:read', 'sales:revoke', 'postback:read', 'postback:write'] as const),
];
const READ_ONLY: readonly Right[] = ['partner', 'sales:read', 'postback:read'];
const EVERY_SCOPE = 'partner:manage support webhook sales:read postback:write vouchers:create';
const SECOND_FACTOR = { amr: ['pwd', 'mfa'] };
const SESSION = '/api/v2/partner/portal-session';

/** Creates one caller of each kind. */
export async function createCallers(
  apps: RunningApps,
  outside: Outside,
  accounts: PartnerAccounts,
): Promise<readonly Caller[]> {
  const krn = newKrn('callers');
  const admin = { family: 'service', scope: EVERY_SCOPE, ...SECOND_FACTOR } as const;
  return [
    { name: 'nobody', rights: [], token: () => undefined },
    holder('a malformed token', 'not.a-token'),
    holder('an expired token of a user with every scope', await outside.token(krn, { ...admin, expiresIn: -3600 })),
    holder('a token for another audience', await outside.token(krn, { ...admin, aud: 'another-platform' })),
    holder('a subscription receipt token', await outside.token(krn, { ...admin, entitlements: ['idp.identity'] })),
    holder('an OpenID token with every scope', await outside.token('somebody', { ...admin, family: 'openid' })),
    holder('an app', await appToken(apps)),
    ...(await partners(accounts)),
    ...(await portals(apps, accounts)),
    service('a manager', await outside.token('manager-1', { scope: 'partner:manage' }), ['partner:manage']),
    service('support', await outside.token('support-1', { scope: 'support' }), ['support']),
    service('a service with the scope webhook', await outside.token('service-1', { scope: 'webhook' })),
    service('a user', await outside.token(krn), ['user']),
    service('a user with a second factor', await outside.token(krn, SECOND_FACTOR), ['user', 'second factor']),
    service(
      'a user with a second factor of two hours ago',
      await outside.token(krn, { ...SECOND_FACTOR, authTime: Math.floor(Date.now() / 1000) - 7200 }),
      ['user'],
    ),
    service(
      'an employee who is also a user',
      await outside.token(newKrn('callers'), { scope: 'partner:manage support' }),
      ['partner:manage', 'support', 'user'],
    ),
    holder('an OpenID user', await outside.token(krn, { family: 'openid' }), ['user']),
    holder(
      'an OpenID user with a second factor and every scope',
      await outside.token(krn, { ...admin, family: 'openid' }),
      ['user', 'second factor'],
    ),
  ];
}

const holder = (name: string, token: string, rights: readonly Right[] = []): Caller => ({
  name,
  rights,
  token: () => token,
});

const service = (name: string, token: string, rights: readonly Right[] = []): Caller => ({
  ...holder(name, token, rights),
  issuer: 'service',
});

const partner = (name: string, token: string, rights: readonly Right[] = []): Caller => ({
  ...holder(name, token, rights),
  issuer: 'partner-gateway',
});

async function partners(accounts: PartnerAccounts): Promise<readonly Caller[]> {
  const [promotion, voucher, inactive] = await Promise.all([
    accounts.promotion(),
    accounts.voucher(),
    accounts.promotion(),
  ]);
  const issue = (body: object) => accounts.manage('POST', `/admin/partners/${promotion.id}/tokens`, body);
  const revoked = await issue({ environment: 'live' });
  await accounts.manage('DELETE', `/admin/tokens/${revoked.id}`);
  await accounts.manage('PATCH', `/admin/partners/${inactive.id}`, { active: false });
  const narrow = await issue({ environment: 'live', scopes: ['postback:read'] });
  return [
    partner('a promotion partner', promotion.token, PROMOTION),
    partner('a promotion partner with a test token', promotion.testToken, [...PROMOTION, 'postback:listen']),
    partner('a promotion partner with the scope postback:read', narrow.token, ['partner', 'postback:read']),
    partner('a voucher partner', voucher.token, ['partner', 'vouchers:read', 'vouchers:create']),
    partner('an inactive partner', inactive.token),
    holder('a revoked partner token', revoked.token),
    holder('a partner token that was never issued', generatePartnerToken('live')),
  ];
}

async function portals(apps: RunningApps, accounts: PartnerAccounts): Promise<readonly Caller[]> {
  const [{ id }, voucher] = await Promise.all([accounts.promotion(), accounts.voucher()]);
  const ended = await accounts.portalSession(id);
  await apps.call('partner-gateway', 'DELETE', SESSION, { token: ended });
  const code = await accounts.portalCode(id);
  const session = async (name: string, rights: readonly Right[], partnerId = id, readOnly = false): Promise<Caller> => {
    const open = () => accounts.portalSession(partnerId, { readOnly });
    const kept = await open();
    // The request that ends a session gets a separate session, because all other requests use the same session, which
    // must stay open.
    const token = (operation: string) => (operation === `DELETE ${SESSION}` ? open() : kept);
    return { name, rights: [...rights, 'portal session'], issuer: 'partner-gateway', token };
  };
  return [
    await session('a portal session', PROMOTION),
    await session('a read-only portal session', READ_ONLY, id, true),
    await session('a portal session of a voucher partner', ['partner', 'vouchers:read', 'vouchers:create'], voucher.id),
    await session('a read-only portal session of a voucher partner', ['partner', 'vouchers:read'], voucher.id, true),
    holder('an ended portal session', ended),
    // Only the operation that opens a session accepts a code, and a code opens only one session.
    holder('a portal code', code, ['portal code']),
  ];
}

/** Returns a token with which an app calls another app. */
function appToken({ secrets }: RunningApps): Promise<string> {
  const privateKey = parseServicePrivateKey(secrets.serviceKeys.privateKeyOf('idp-support'));
  return issueServiceToken({ privateKey, from: 'idp-support', audience: 'idp-api', now: new Date() });
}
