import { setTimeout as delay } from 'node:timers/promises';
import { PRO_CODES } from '@tandem/stack-client';
import type { Answer } from './client';
import { watchOver } from './identity-data';
import { askSupport } from './identity-support';
import { IdentityUser } from './identity-user';

const USER_TOKEN_SECONDS = 900;
const FIRST_WAIT_SECONDS = 900;
/**
 * The waits between the requests that create the profile. The requests are refused until the purchase has arrived. The
 * waits grow, because a user may send only 10 of these requests per minute.
 */
const ENTITLED_DELAYS_MS = [300, 700, 1_500, 3_000, 6_000];

/** Follows a user of identity protection: the purchase, the profile, monitoring, a verification lockout, support, and the deletion. */
export class IdentityStory extends IdentityUser {
  private token = '';
  private openid = '';
  private arrayUserId = '';

  async tell(): Promise<void> {
    await this.signIn();
    await this.createProfile();
    await this.enroll();
    await watchOver(this, this.arrayUserId);
    await this.lock();
    await askSupport(this);
    await this.delete();
  }

  private async signIn(): Promise<void> {
    const { narrator } = this.scene;
    narrator.chapter('A user signs in, and has no plan yet');
    this.token = await this.mint('service');
    this.secondFactor = await this.mint('service', ['pwd', 'mfa']);
    this.openid = await this.mint('openid', ['pwd', 'mfa']);
    const plain = await this.call('POST', '', this.person, this.token);
    this.expectVariant('a profile needs a second factor', plain, 400, { TwoFactorAuthRequired: {} });
    narrator.check(
      'the answer contains the challenge',
      plain.headers.get('www-authenticate')?.includes('acr_values="mfa"') === true,
    );
    const refused = await this.call('POST', '', this.person);
    this.expectVariant('a profile needs a plan too', refused, 400, { EntitlementsRequired: {} });
  }

  private async createProfile(): Promise<void> {
    const { narrator } = this.scene;
    narrator.chapter('The user buys the plan pro and creates a profile');
    await this.scene.buy({ krn: this.krn, plan: 'pro' });
    const created = await this.createWhenEntitled();
    this.scene.expectStatus(created, 200);
    const life = Number(created.body.expirationDate) - Date.now() / 1000;
    narrator.check('the vendor’s token is valid for 15 minutes', Math.abs(life - USER_TOKEN_SECONDS) < 30, life);
    const profile = await this.call('GET', '/me', undefined, this.token);
    this.scene.expectStatus(profile, 200);
    this.arrayUserId = String(profile.body.arrayUserId);
    narrator.equal('the identity is verified', [profile.body.authenticated, profile.body.authAttempts], [true, 0]);
    narrator.check(
      'the profile shows which fields are set, not their values',
      !profile.text.includes(this.person.lastName),
    );
    const byOpenid = await this.call('GET', '/me', undefined, this.openid);
    narrator.equal(
      'an OpenID token of the same user shows the same profile',
      byOpenid.body.arrayUserId,
      this.arrayUserId,
    );
    const again = await this.call('POST', '', this.person);
    this.expectVariant('there is one profile per user', again, 400, { UserAlreadyExists: {} });
  }

  private async enroll(): Promise<void> {
    const { narrator } = this.scene;
    narrator.chapter('The vendor enrolls the user in the products of the plan');
    const active = await this.scene.until('all enrollments at the vendor', async () => {
      const codes = await this.vendor.activeCodes(this.arrayUserId);
      return codes?.length === PRO_CODES.length ? codes : undefined;
    });
    narrator.equal('everything of the plan is active at the vendor', active, PRO_CODES);
    const enrolled = await this.scene.until('all enrollments in the profile', async () => {
      const answer = await this.call('POST', '/me/enroll');
      this.scene.expectStatus(answer, 200);
      const items = answer.body.enrollments as { code: string; active: boolean }[];
      if (items.every((item) => item.active)) return items;
      return delay(1_000, undefined);
    });
    narrator.equal('everything is active in the profile too', enrolled.map(({ code }) => code).sort(), PRO_CODES);
  }

  private async lock(): Promise<void> {
    const { narrator } = this.scene;
    narrator.chapter('The vendor does not recognize the user: the lock');
    const invalid = await this.call('PATCH', '/me', { address: { ...this.person.address, zip: '6270' } });
    this.expectVariant('the refusal of an invalid zip names the field', invalid, 400, {
      InputValidationFailure: { invalid_fields: ['address.zip'] },
    });
    await this.vendor.fail({ route: 'verify', fault: 'refuse', times: 1 });
    const refused = await this.call('PATCH', '/me', { dob: '1990-01-01' });
    this.expectVariant('after a failed verification the user must wait 15 minutes', refused, 429, {
      AttemptsTooEarly: { retry_after: FIRST_WAIT_SECONDS },
    });
    const early = await this.call('PATCH', '/me', { dob: '1980-02-29' });
    narrator.equal('an attempt during the wait is refused', early.status, 429);
    const { body } = await this.call('GET', '/me');
    narrator.equal('the early attempt is not counted', [body.authAttempts, body.remainingAuthAttempts], [1, 2]);
    const phone = await this.call('PATCH', '/me', { phoneNumber: '2025550199' });
    narrator.equal('a change that needs no verification is still possible', phone.status, 200);
  }

  private async delete(): Promise<void> {
    const { narrator } = this.scene;
    narrator.chapter('The user leaves');
    const deleted = await this.call('DELETE', '/me');
    narrator.equal(
      'the profile is deleted',
      [deleted.status, deleted.body],
      [200, { arrayUserId: this.arrayUserId, deleted: true }],
    );
    this.expectVariant('the profile is no longer available', await this.call('GET', '/me'), 400, { UserNotFound: {} });
    await this.scene.until('the vendor deletes the user', async () =>
      (await this.vendor.activeCodes(this.arrayUserId)) === undefined ? true : undefined,
    );
    narrator.check('the vendor has deleted the user too', true);
    this.scene.expectStatus(await this.call('POST', '', this.person), 200);
    const { body } = await this.call('GET', '/me');
    narrator.equal('a returning user starts without a lock', body.authAttempts, 0);
    this.scene.expectStatus(await this.call('DELETE', '/me'), 200);
  }

  private async createWhenEntitled(): Promise<Answer> {
    for (const wait of ENTITLED_DELAYS_MS) {
      const created = await this.call('POST', '', this.person);
      if (!JSON.stringify(created.body).includes('EntitlementsRequired')) return created;
      this.scene.narrator.note('The purchase has not arrived yet.');
      await delay(wait);
    }
    return this.call('POST', '', this.person);
  }

  private mint(family: 'service' | 'openid', amr?: string[]): Promise<string> {
    return this.scene.mint(this.krn, { family, ...(amr && { amr }) });
  }

  private get person() {
    return {
      firstName: 'Jane',
      lastName: 'Demonstrator',
      dob: '1980-02-29',
      ssn: '6789',
      emailAddress: `jane.${this.scene.run}@example.com`,
      address: { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701' },
      version: 1,
    };
  }
}
