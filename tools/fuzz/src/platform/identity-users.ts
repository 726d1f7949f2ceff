import { ALL_ENTITLEMENTS, newKrn } from '@tandem/stack-client';
import type { Credentials, FuzzRequest } from '../requests';
import { type Apps, eventually, type Json } from './apps';
import { purchase } from './billing';
import { fetchFromApp } from './fetch';
import type { Outside, TokenClaims } from './outside';

const APP = 'idp-api';
const USERS = '/idp/array/users';
const SECOND_FACTOR: TokenClaims = { amr: ['pwd', 'mfa'] };

const PROFILE = {
  firstName: 'Johanna',
  lastName: 'Quimby',
  dob: '1984-02-29',
  emailAddress: 'johanna.quimby@example.com',
  phoneNumber: '5035550142',
  ssn: '123456789',
  version: 1,
  address: { street: '12 Larkspur Lane', city: 'Portland', state: 'OR', zip: '97201' },
};

/** The access tokens, by their purpose. */
interface Tokens {
  /** The token of a user who has a profile, sample data, and every kind of data from the vendor. */
  readonly member: string;
  /** The token of the user whose profile the requests create and delete. */
  readonly newcomer: string;
  readonly newcomerWithoutSecondFactor: string;
  /** Tokens of users who lack something: a second factor, a profile, or some entitlements. */
  readonly weak: readonly string[];
  /** Invalid tokens: signed by the wrong issuer, of a user without a KRN, expired. */
  readonly foreign: readonly string[];
}

/** The users in whose names the client APIs are called, and the user who is the subject of support operations. */
export class IdentityUsers {
  private turn = 0;
  private tokens!: Tokens;
  /** The token of the user who is the subject of support operations. */
  private subject = '';
  /** Receipts of the user who is the subject of support operations. */
  receipts: readonly string[] = [];
  alertIds: readonly string[] = [];

  private constructor(
    private readonly apps: Apps,
    private readonly users: { readonly member: string; readonly newcomer: string; readonly poor: string },
    /** The KRN of the user who is the subject of support operations, as a list. */
    readonly krns: readonly [string],
  ) {}

  static async start(apps: Apps, outside: Outside): Promise<IdentityUsers> {
    const [member, newcomer, poor, subject] = await Promise.all([
      entitled(apps, ALL_ENTITLEMENTS),
      entitled(apps, ALL_ENTITLEMENTS),
      entitled(apps, ['idp.identity']),
      entitled(apps, ALL_ENTITLEMENTS),
    ]);
    const users = new IdentityUsers(apps, { member, newcomer, poor }, [subject]);
    await users.renewTokens(outside);
    await createProfile(apps, users.tokens.weak[2] as string);
    users.alertIds = await fill(apps, outside, users.tokens.member);
    return users;
  }

  /** Replaces all tokens with new ones. */
  async renewTokens(outside: Outside): Promise<void> {
    const { member, newcomer, poor } = this.users;
    const [subject] = this.krns;
    const token = (krn: string, claims: TokenClaims = SECOND_FACTOR): Promise<string> => outside.token(krn, claims);
    this.tokens = {
      member: await token(member),
      newcomer: await token(newcomer),
      newcomerWithoutSecondFactor: await token(newcomer, {}),
      weak: await Promise.all([token(member, {}), token(newKrn('fuzz')), token(poor)]),
      foreign: await Promise.all([
        token(member, { ...SECOND_FACTOR, family: 'openid', iss: outside.issuer('service') }),
        token('somebody'),
        token(member, { ...SECOND_FACTOR, expiresIn: -3600 }),
      ]),
    };
    this.subject = await token(subject);
    this.receipts = [await outside.token(subject, { entitlements: ['idp.identity'] })];
  }

  /**
   * Makes sure that the newcomer has no profile before a request that creates one, and has a profile before a request
   * that deletes it. Does nothing for any other request, or for a request without good credentials.
   */
  async prepare({ method, target, credentials }: FuzzRequest): Promise<void> {
    if (credentials !== 'good' || !changesExistence(method, target)) return;
    const { newcomer: token } = this.tokens;
    const has = await this.hasProfile(token);
    // A refusal is ignored, because another request may have done the same at the same time.
    if (method === 'POST' && has) await this.apps.call(APP, 'DELETE', `${USERS}/me`, { token }).catch(ignoreRefusal);
    if (method === 'DELETE' && !has)
      await this.apps.call(APP, 'POST', USERS, { body: PROFILE, token }).catch(ignoreRefusal);
  }

  /**
   * Makes sure that the user who is the subject of support operations has a profile, because support may have deleted
   * it. Does nothing for a request without good credentials.
   */
  async prepareForSupport({ credentials }: FuzzRequest): Promise<void> {
    if (credentials !== 'good' || (await this.hasProfile(this.subject))) return;
    await this.apps.call(APP, 'POST', USERS, { body: PROFILE, token: this.subject }).catch(ignoreRefusal);
  }

  /** Returns the token for a request. */
  tokenOf(credentials: Credentials, { method, target }: FuzzRequest): string {
    const { member, newcomer, newcomerWithoutSecondFactor, weak, foreign } = this.tokens;
    this.turn += 1;
    if (credentials === 'foreign') return foreign[this.turn % foreign.length] as string;
    if (changesExistence(method, target)) return credentials === 'good' ? newcomer : newcomerWithoutSecondFactor;
    return credentials === 'good' ? member : (weak[this.turn % weak.length] as string);
  }

  private async hasProfile(token: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetchFromApp(`${this.apps.urlOf(APP)}${USERS}/me`, { headers });
    await answer.text();
    return answer.ok;
  }
}

/** Ignores an error for an answer of 400 or 403. @throws any other error */
function ignoreRefusal(error: Error): void {
  if (!/was answered with 40[03]/.test(error.message)) throw error;
}

/** Returns whether a request creates or deletes the profile of its user. */
const changesExistence = (method: string, target: string): boolean => {
  const path = target.split('?', 1)[0];
  return (method === 'POST' && path === USERS) || (method === 'DELETE' && path === `${USERS}/me`);
};

/** Creates a user with a subscription. @returns the user's KRN */
async function entitled(apps: Apps, entitlements: readonly string[]): Promise<string> {
  const krn = newKrn('fuzz');
  await purchase(apps, { customer: { krn, email: 'user@example.com' }, entitlements });
  return krn;
}

/** Creates a profile. Retries until the purchase that entitles the user to it has arrived. */
const createProfile = (apps: Apps, token: string): Promise<Json> =>
  eventually(() => apps.call(APP, 'POST', USERS, { body: PROFILE, token }));

/**
 * Creates a profile with every kind of data from the vendor and with sample data.
 * @returns the ids of the user's alerts
 */
async function fill(apps: Apps, outside: Outside, token: string): Promise<readonly string[]> {
  await createProfile(apps, token);
  const { arrayUserId } = await apps.call(APP, 'GET', `${USERS}/me`, { token });
  await outside.control(`/vendor/users/${arrayUserId}/sample-data`, {});
  await apps.call(APP, 'POST', `${USERS}/me/mock/alerts`, { token });
  await apps.call(APP, 'POST', `${USERS}/me/mock/scans`, { token });
  const { userAlerts } = await apps.call(APP, 'GET', `${USERS}/me/alerts`, { token });
  return (userAlerts as { alertId: number }[]).map(({ alertId }) => String(alertId));
}
