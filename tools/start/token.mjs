/** `npm run token`: mints a development token at the sandbox's issuer. */
import './node-version.mjs';

const { parseArgs } = await import('node:util');
const { readStack } = await import('./stack-file.mjs');
const { mintToken } = await import('./tokens.mjs');

const USAGE = `npm run token -- --krn KRN [options]

Prints a token of the running stack's issuer.

  --krn KRN           whose: krn:tandem:dev:user:alice
  --2fa               with a second factor, just now or --auth-age N seconds ago: taken for an hour
  --auth-age N        (0)
  --openid            an OpenID access token; else the service's own
  --scope "A B"       for example partner:manage, payments, support
  --audience NAME     tandem by default
  --expires-in N      seconds (3600)
  --entitlements A,B  a subscription receipt token (SRT) instead, for example idp.identity,idp.credit
  --subscription ID   the SRT's subscription; a new one when left out
`;

const KRN = /^krn:[a-z0-9-]+:[a-z0-9-]+:user:[A-Za-z0-9_-]{1,64}$/;

function readOptions() {
  const { values } = parseArgs({
    options: {
      krn: { type: 'string' },
      '2fa': { type: 'boolean' },
      'auth-age': { type: 'string', default: '0' },
      openid: { type: 'boolean' },
      scope: { type: 'string' },
      audience: { type: 'string' },
      'expires-in': { type: 'string', default: '3600' },
      entitlements: { type: 'string' },
      subscription: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return null;
  if (!values.krn) throw new Error('--krn is missing');
  if (!KRN.test(values.krn)) throw new Error(`--krn must be like krn:tandem:dev:user:alice, not "${values.krn}"`);
  for (const name of ['expires-in', 'auth-age']) {
    if (!/^-?\d+$/.test(values[name])) throw new Error(`--${name} must be a whole number of seconds`);
  }
  return {
    family: values.openid ? 'openid' : 'service',
    sub: values.krn,
    expiresIn: Number(values['expires-in']),
    ...(values['2fa'] && {
      amr: ['pwd', 'mfa'],
      authTime: Math.floor(Date.now() / 1000) - Number(values['auth-age']),
    }),
    ...(values.scope && { scope: values.scope }),
    ...(values.audience && { aud: values.audience }),
    ...(values.entitlements !== undefined && { entitlements: values.entitlements.split(',').filter(Boolean) }),
    ...(values.subscription && { subscriptionId: values.subscription }),
  };
}

try {
  const request = readOptions();
  console.log(request ? await mintToken(readStack().sandbox.issuer, request) : USAGE);
} catch (error) {
  console.error(error.code?.startsWith('ERR_PARSE_ARGS') ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = 1;
}
