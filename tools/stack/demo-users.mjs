import { setTimeout as delay } from 'node:timers/promises';
import { describeRefusal, requestJson } from './http.mjs';
import { krnOf, mintToken, TOKEN_SECONDS } from './tokens.mjs';

/** The demo users. After `seedUsers`, `a` has a plan but no profile, `b` has a plan and a profile, and `c` has neither. */
const NAMES = ['a', 'b', 'c'];
const SECOND_FACTOR = { amr: ['pwd', 'mfa'] };
/** The interval at which the demo users' tokens are renewed. It is shorter than the hour for which a second factor is valid. */
export const SECOND_FACTOR_REFRESH_MS = 30 * 60_000;
/**
 * The waits between the attempts to create the profile, which fail until the purchase has reached idp-api. idp-api allows 10 attempts
 * per minute.
 */
const ENTITLED_DELAYS_MS = [200, 400, 800, 1_600, 3_200, 6_400];

const PROFILE_OF_B = {
  firstName: 'Bea',
  lastName: 'Sample',
  dob: '1984-06-15',
  emailAddress: 'bea.sample@example.com',
  phoneNumber: '2025550142',
  ssn: '6789',
  address: { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701' },
  version: 1,
};

/**
 * Returns the demo users, each with four tokens: of both families (service and OpenID), with and without a second factor.
 *
 * @param {string} issuer
 */
export async function userTokens(issuer) {
  const entries = NAMES.map(async (name) => {
    const sub = krnOf(name);
    const mint = (family, factor) => mintToken(issuer, { family, sub, expiresIn: TOKEN_SECONDS, ...factor });
    const [token, token2fa, openidToken, openidToken2fa] = await Promise.all([
      mint('service'),
      mint('service', SECOND_FACTOR),
      mint('openid'),
      mint('openid', SECOND_FACTOR),
    ]);
    return [name, { krn: sub, token, token2fa, openidToken, openidToken2fa }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Gives `a` and `b` the plan pro, and `b` a profile and sample data at the vendor. If `b` already has a profile, an earlier start has seeded the
 * users: then only requests the sample data again, which the sandbox adds to a user only once.
 * @returns {Promise<string>} a description of what was done, for people
 * @throws when an app or the sandbox refuses
 */
export async function seedUsers({ baseUrl, users, sandbox }) {
  const url = `${baseUrl}/idp/array/users`;
  const { token2fa } = users.b;
  const known = await requestJson('GET', `${url}/me`, { token: token2fa });
  if (known.status !== 200) {
    for (const { krn } of [users.a, users.b]) await buyPro(sandbox, krn);
    await createEntitled(url, token2fa);
  }
  const { body } = known.status === 200 ? known : await requestJson('GET', `${url}/me`, { token: token2fa });
  const sample = await requestJson('POST', `${sandbox.vendor}/users/${body.arrayUserId}/sample-data`);
  if (sample.status >= 300) throw new Error(`the sample data was refused: ${describeRefusal(sample)}`);
  return known.status === 200 ? 'kept' : 'a and b on plan pro, b with a profile';
}

async function buyPro({ store }, krn) {
  const email = `${krn.split(':').at(-1)}@example.com`;
  const bought = await requestJson('POST', `${store}/buy`, { body: { krn, email, plan: 'pro' } });
  if (bought.status !== 201) throw new Error(`the purchase was refused: ${describeRefusal(bought)}`);
  const { status, error } = bought.body.webhook;
  if (status !== 200) throw new Error(`the webhook of the purchase was not accepted: ${status ?? error}`);
}

/** Creates the profile as soon as the purchase has reached idp-api. */
async function createEntitled(url, token) {
  for (const wait of [...ENTITLED_DELAYS_MS, null]) {
    const created = await requestJson('POST', url, { token, body: PROFILE_OF_B });
    if (created.status === 200) return;
    if (wait === null || !created.body?.BadRequest?.EntitlementsRequired)
      throw new Error(`the profile of user b was refused: ${created.status} ${JSON.stringify(created.body)}`);
    await delay(wait);
  }
}
