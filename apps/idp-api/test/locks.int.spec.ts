import { bootstrap } from '@tandem/service-defaults';
import { eventually, shiftClock } from '@tandem/testing';
import { app } from '../src/app';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { createBody, Idp, type TestUser } from './idp';

const tooEarly = (seconds: number) => ({ BadRequest: { AttemptsTooEarly: { retry_after: seconds } } });
const MAXIMUM = { BadRequest: { MaximumAttemptsReached: { max_allowed: 3 } } };

/** The requests by which a user who has a profile causes a verification of the identity. */
const CALLS: readonly (readonly [method: string, path: string, body: object | undefined])[] = [
  ['PATCH', '/me', { ssn: '6789' }],
  ['PATCH', '/me', { dob: '1990-01-31' }],
  ['PATCH', '/me', { address: { street: '1 Oak', city: 'Salem', state: 'OR', zip: '97301' } }],
  ['POST', '/me/enroll', undefined],
  ['POST', '/me/token', undefined],
];

it('the waits, the maximum age of a second factor and the lifetime of a token are configurable [idp-locks.configured]', async () => {
  const idp = await Idp.start({
    env: {
      LOCK_FIRST_WAIT_SECONDS: '1',
      LOCK_SECOND_WAIT_SECONDS: '2',
      SECOND_FACTOR_MAX_AGE_SECONDS: '7200',
      USER_TOKEN_SECONDS: '30',
      RATE_LIMIT_ONBOARDING_PER_MINUTE: '1000',
    },
  });
  try {
    const authTime = Math.floor(Date.now() / 1000) - 7_000;
    const user = { ...(await idp.createUser()), claims: { auth_time: authTime } };
    expect((await idp.request('POST', '/me/token', user)).status).toBe(200);
    expect(idp.vendor.callsOf('token', arrayUserIdOf(user.krn)).at(-1)?.body.ttlInSeconds).toBe(30);
    idp.vendor.faults.set('verify', { fault: 'refuse' });
    const refusal = async () => (await idp.request('POST', '/me/enroll', user)).body;
    expect(await refusal()).toEqual(tooEarly(1));
    await eventually(async () => expect(await refusal()).toEqual(tooEarly(2)));
    await eventually(async () => expect(await refusal()).toEqual(MAXIMUM));
  } finally {
    await idp.stop();
  }
});

describe('locks', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start({
      env: { RATE_LIMIT_ONBOARDING_PER_MINUTE: '1000', RATE_LIMIT_CLIENT_PER_MINUTE: '1000' },
    });
  });
  afterAll(() => idp.stop());
  beforeEach(() => {
    idp.vendor.faults.clear();
    idp.vendor.hook = () => undefined;
  });

  const refuse = () => idp.vendor.faults.set('verify', { fault: 'refuse' });
  const create = (user: TestUser) => idp.request('POST', '', user, createBody());
  const token = (user: TestUser) => idp.request('POST', '/me/token', user);
  /** Ends the user's wait, by moving its end to a second ago. */
  const endWait = (user: TestUser) =>
    idp.database.query(`update idp.verification set wait_until = now() - interval '1 second' where krn = $1`, [
      user.krn,
    ]);
  const attempts = async (user: TestUser): Promise<number | undefined> => {
    const [row] = await idp.database.query<{ attempts: number }>(
      'select attempts from idp.verification where krn = $1',
      [user.krn],
    );
    return row?.attempts;
  };
  const verifications = (user: TestUser) => idp.vendor.callsOf('verify', arrayUserIdOf(user.krn)).length;

  it('refused creates cause waits of 15 min and 24 h, then a 403 [idp-locks.waits, idp-locks.answer, idp-locks.before-profile]', async () => {
    const user = await idp.entitledUser();
    refuse();
    const first = await create(user);
    expect([first.status, first.body, first.headers.get('retry-after')]).toEqual([429, tooEarly(900), '900']);
    await endWait(user);
    const second = await create(user);
    expect([second.status, second.body, second.headers.get('retry-after')]).toEqual([429, tooEarly(86_400), '86400']);
    await endWait(user);
    const third = await create(user);
    expect([third.status, third.body]).toEqual([403, MAXIMUM]);
    idp.vendor.faults.clear();
    await endWait(user);
    expect([(await create(user)).body, await attempts(user)]).toEqual([MAXIMUM, 3]);
    expect((await idp.request('GET', '/me', user)).body).toEqual({ BadRequest: { UserNotFound: {} } });
  });

  it.each(CALLS)(
    'a refused identity at %s %s %j is counted, and shown in the profile [idp-locks.calls]',
    async (method, path, body) => {
      const user = await idp.createUser();
      refuse();
      const { status, body: answer } = await idp.request(method, path, user, body);
      expect([status, answer]).toEqual([429, tooEarly(900)]);
      const { body: profile } = await idp.request('GET', '/me', user);
      expect(profile).toMatchObject({ authenticated: false, authAttempts: 1, remainingAuthAttempts: 2 });
    },
  );

  it('a request during the wait is refused, not counted and not sent to the vendor [idp-locks.during-wait, idp-locks.one-wait]', async () => {
    const user = await idp.createUser();
    refuse();
    await token(user);
    idp.vendor.faults.clear();
    const before = verifications(user);
    for (const [method, path, body] of CALLS) {
      const { status, body: answer } = await idp.request(method, path, user, body);
      expect(status).toBe(429);
      expect(answer.BadRequest.AttemptsTooEarly.retry_after).toBeGreaterThan(800);
    }
    expect([await attempts(user), verifications(user)]).toEqual([1, before]);
  });

  it('a change of only e-mail and phone, or a migration, needs no verification and is allowed during a wait [idp-locks.not-counted]', async () => {
    const user = await idp.createUser();
    refuse();
    await token(user);
    const change = { emailAddress: 'new@mail.test', phoneNumber: '5035550199' };
    expect((await idp.request('PATCH', '/me', user, change)).status).toBe(200);
    expect((await idp.request('POST', '/me/migration', user, { version: 1 })).status).toBe(200);
    expect(await attempts(user)).toBe(1);
  });

  it('a confirmed identity resets the count of refusals [idp-locks.success-resets]', async () => {
    const user = await idp.createUser();
    refuse();
    await token(user);
    await endWait(user);
    idp.vendor.faults.clear();
    expect((await token(user)).status).toBe(200);
    const { body } = await idp.request('GET', '/me', user);
    expect(body).toMatchObject({ authenticated: true, authAttempts: 0, remainingAuthAttempts: 3 });
  });

  it.each([
    ['ahead', 3_600_000],
    ['behind', -3_600_000],
  ])('a wait lasts 15 minutes, even if the clock of a replica is an hour %s', async (_, ms) => {
    const [byReplica, byOther] = [await idp.createUser(), await idp.createUser()];
    refuse();
    expect((await token(byOther)).body).toEqual(tooEarly(900));
    shiftClock(ms);
    try {
      expect((await token(byReplica)).body).toEqual(tooEarly(900));
      for (const user of [byReplica, byOther]) {
        const { retry_after } = (await token(user)).body.BadRequest.AttemptsTooEarly;
        expect(retry_after).toBeGreaterThan(800);
        expect(retry_after).toBeLessThanOrEqual(900);
      }
    } finally {
      jest.useRealTimers();
    }
    for (const user of [byReplica, byOther]) {
      const { lockedUntil } = (await idp.request('GET', '/me', user)).body;
      expect(Date.parse(lockedUntil)).toBeGreaterThan(Date.now() + 800_000);
      expect(Date.parse(lockedUntil)).toBeLessThanOrEqual(Date.now() + 900_000);
    }
  });

  it('a user’s own delete does not end the wait [idp-locks.own-delete]', async () => {
    const user = await idp.createUser();
    refuse();
    await idp.request('PATCH', '/me', user, { ssn: '6789' });
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
    idp.vendor.faults.clear();
    expect((await create(user)).body).toEqual(tooEarly(900));
    await idp.database.query(`update idp.verification set forget_at = now() - interval '1 second' where krn = $1`, [
      user.krn,
    ]);
    expect((await create(user)).status).toBe(200);
    expect(await attempts(user)).toBe(0);
  });

  it('a user’s own delete keeps the lock for 30 days if the user has no attempt left [idp-locks.own-delete]', async () => {
    const user = await idp.createUser();
    refuse();
    for (let count = 0; count < 3; count++) {
      await token(user);
      await endWait(user);
    }
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
    idp.vendor.faults.clear();
    expect((await create(user)).body).toEqual(MAXIMUM);
    expect(
      await idp.database.query(
        `select forget_at between now() + interval '29 days' and now() + interval '30 days' as kept from idp.verification where krn = $1`,
        [user.krn],
      ),
    ).toEqual([{ kept: true }]);
  });

  it('a user’s own delete causes no wait if no verification was refused', async () => {
    const user = await idp.createUser();
    expect((await idp.request('DELETE', '/me', user)).status).toBe(200);
    expect((await create(user)).status).toBe(200);
  });

  it('a failure of the vendor is not counted as a refusal [idp-locks.vendor-fails]', async () => {
    const user = await idp.createUser();
    idp.vendor.faults.set('verify', { fault: 'error' });
    expect((await token(user)).status).toBe(502);
    expect(await attempts(user)).toBe(0);
  });

  it('20 concurrent verifications on two replicas make one call, and its refusal is counted once [idp-locks.at-once]', async () => {
    const user = await idp.createUser();
    const replica = await bootstrap(app, idp.environment);
    // The vendor answers late, so that all requests have started before its first answer.
    idp.vendor.hook = () => new Promise((resolve) => setTimeout(resolve, 200));
    refuse();
    const before = verifications(user);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const [method, path, body] = CALLS[index % CALLS.length] as (typeof CALLS)[number];
        return idp.request(method, path, index % 2 ? user : { ...user, url: replica.url }, body);
      }),
    ).finally(() => replica.close());
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 429));
    expect([await attempts(user), verifications(user) - before]).toEqual([1, 1]);
  });
});
