import { describeRefusal } from '../public-api';
import { readStack } from '@tandem/stack-client';
import { UsageError } from '../usage.errors';
import { type Commands, number, whole } from './options';

const KRN = /^krn:[a-z0-9-]+:[a-z0-9-]+:user:[A-Za-z0-9_-]{1,64}$/;

const OPTIONS = {
  krn: { type: 'string', demandOption: true, describe: 'The KRN of the user, for example krn:tandem:dev:user:alice' },
  '2fa': { type: 'boolean', describe: 'With a second factor, which is valid for an hour' },
  'auth-age': { ...number('How many seconds ago the second factor was used'), default: '0' },
  openid: { type: 'boolean', describe: 'An OpenID access token (default: a service access token)' },
  scope: { type: 'string', describe: 'For example "partner:manage", "payments", "support"' },
  audience: { type: 'string', describe: 'Default: tandem' },
  'expires-in': { ...number('The lifetime of the token in seconds'), default: '3600' },
  entitlements: {
    type: 'string',
    describe: 'A,B: issue a subscription receipt token (SRT) instead, for example with idp.identity,idp.credit',
  },
  subscription: { type: 'string', describe: 'The subscription of the SRT (default: a new one)' },
} as const;

/** `tandem token`: gets a development token from the issuer of the sandbox. */
export const tokenCommand = (parser: Commands): Commands =>
  parser.command(
    'token',
    'Issue a token of the development issuer',
    (command) => command.options(OPTIONS),
    async (options) => {
      const { krn, openid, scope, audience, entitlements, subscription } = options;
      if (!KRN.test(krn)) throw new UsageError(`--krn must be like krn:tandem:dev:user:alice, not "${krn}"`);
      const expiresIn = whole('expires-in', options['expires-in']);
      const age = whole('auth-age', options['auth-age']) ?? 0;
      const factor = { amr: ['pwd', 'mfa'], authTime: Math.floor(Date.now() / 1000) - age };
      const request = {
        family: openid ? 'openid' : 'service',
        sub: krn,
        expiresIn,
        ...(options['2fa'] && factor),
        ...(scope && { scope }),
        ...(audience && { aud: audience }),
        ...(entitlements !== undefined && { entitlements: entitlements.split(',').filter(Boolean) }),
        ...(subscription && { subscriptionId: subscription }),
      };
      console.log(await mint(request));
    },
  );

async function mint(request: object): Promise<string> {
  const response = await fetch(`${readStack().sandbox.issuer}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const answer = (await response.json().catch(() => null)) as { token?: string } | null;
  if (response.status !== 201 || !answer?.token) {
    throw new Error(`the issuer refused: ${describeRefusal(response.status, answer)}`);
  }
  return answer.token;
}
