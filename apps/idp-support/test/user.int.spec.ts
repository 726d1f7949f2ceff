import { supportEnrollPath, supportStoryPath, supportUnlockPath, supportUserPath } from '@tandem/internal-api';
import { newKrn, publishKeys, receiptToken, Support, supportToken, supportUser, type TokenChange } from './support';

const now = (): number => Math.floor(Date.now() / 1000);
const CHANGE = {
  ssn: '987654329',
  dob: '1984-02-29',
  emailAddress: 'johanna.quimby@mail.test',
  phoneNumber: '5035550142',
  address: { street: '12 Larkspur Lane', city: 'Portland', state: 'OR', zip: '97201' },
};
const PERSONAL = /987654329|1984|quimby|5035550142|Larkspur|97201|Portland/i;

describe('/idp/support/users/{user_id}', () => {
  let support: Support;
  beforeAll(async () => {
    support = await Support.start();
  });
  beforeEach(() => support.knowUsers());
  afterAll(() => support.stop());

  const refusal = async (answer: ReturnType<Support['act']>) => {
    const { status, body } = await answer;
    expect(body).toEqual({ error: expect.any(String) });
    return [status, body.error];
  };

  describe('GET', () => {
    it('returns what idp-api reports, and records the read in the audit trail [support-get.fields, support-audit.entry]', async () => {
      const krn = newKrn();
      const headers = { 'x-request-id': 'req-1', 'x-support-reason': 'case 17: cannot log in' };
      const { status, body } = await support.act('GET', krn, '', { headers });
      expect([status, body]).toEqual([200, supportUser(krn)]);
      expect(support.asked(krn)).toMatchObject([{ method: 'GET', url: supportUserPath(krn) }]);
      expect(await support.trail(krn)).toEqual([
        {
          actor: 'agent-7',
          action: 'user.read',
          reason: 'case 17: cannot log in',
          request_id: 'req-1',
          details: {},
          outcome: 'succeeded',
          error: null,
        },
      ]);
    });

    it('answers /story with idp-api’s explanation of the user’s state, and records the read [support-get.story]', async () => {
      const krn = newKrn();
      const story = { locked: { verdict: 'not_locked' } };
      support.identity.answerBy(() => [200, story]);
      expect(await support.act('GET', krn, '/story')).toMatchObject({ status: 200, body: story });
      expect(support.asked(krn)).toMatchObject([{ method: 'GET', url: supportStoryPath(krn) }]);
      expect(await support.trail(krn)).toMatchObject([
        { action: 'user.read', details: { story: true }, outcome: 'succeeded' },
      ]);
    });
  });

  it('answers /story with 503 after 6 s when idp-api hangs, even if other requests may wait longer', async () => {
    const patient = await Support.start({ IDP_API_TIMEOUT_MS: '30000' });
    try {
      patient.identity.hang();
      const from = performance.now();
      expect((await patient.act('GET', newKrn(), '/story')).status).toBe(503);
      expect((performance.now() - from) / 1_000).toBeLessThan(15);
    } finally {
      await patient.stop();
    }
  });

  it.each([
    ['GET', '', 'user.read'],
    ['PATCH', '', 'user.update'],
    ['DELETE', '', 'user.delete'],
    ['POST', '/enroll', 'user.enroll'],
    ['POST', '/enrollment-sync', 'user.sync'],
    ['POST', '/unlock', 'user.unlock'],
  ])('%s %s answers 404 for an unknown user [support-errors.unknown-user]', async (method, path, action) => {
    const krn = newKrn();
    support.refuse(400, 'user_not_found');
    const body = method === 'PATCH' ? CHANGE : undefined;
    expect(await refusal(support.act(method, krn, path, { body }))).toEqual([404, 'unknown user']);
    expect(await support.trail(krn)).toMatchObject([{ action, outcome: 'refused', error: 'user_not_found' }]);
    expect(await support.published('enrollment.sync', krn)).toEqual([]);
  });

  it('answers 503 when idp-api does not answer or breaks the contract, and the entry has the outcome failed', async () => {
    for (const fail of [
      () => support.identity.hang(),
      () => support.identity.breakOff(),
      () => support.refuse(500, 'internal'),
      () => support.refuse(401, 'unauthorized'),
    ]) {
      const krn = newKrn();
      fail();
      expect((await refusal(support.act('DELETE', krn)))[0]).toBe(503);
      expect(await support.trail(krn)).toMatchObject([{ outcome: 'failed', error: 'service_unavailable' }]);
    }
  });

  describe('POST /unlock', () => {
    it('has idp-api end the lock, answers 204, and records the action [support-unlock.counters]', async () => {
      const krn = newKrn();
      const { status, text } = await support.act('POST', krn, '/unlock');
      expect([status, text]).toEqual([204, '']);
      expect(support.asked(krn)).toMatchObject([{ method: 'POST', url: supportUnlockPath(krn) }]);
      expect(await support.trail(krn)).toMatchObject([{ action: 'user.unlock', outcome: 'succeeded' }]);
    });

    it('answers 403 without the scope, and answers GET with 405 and Allow [support-auth.scope]', async () => {
      const krn = newKrn();
      expect((await support.act('POST', krn, '/unlock', { token: supportToken({ scope: 'other' }) })).status).toBe(403);
      const other = await support.act('GET', krn, '/unlock');
      expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST']);
    });
  });

  describe('a user without a profile', () => {
    it('can be read, but not synced [support-get.no-profile]', async () => {
      const krn = newKrn();
      const user = { ...supportUser(krn), array_user_details: null, enrollments: [] };
      support.identity.answerBy(() => [200, user]);
      expect((await support.act('GET', krn)).body).toEqual(user);
      expect(await refusal(support.act('POST', krn, '/enrollment-sync'))).toEqual([404, 'unknown user']);
      expect(await support.published('enrollment.sync', krn)).toEqual([]);
    });
  });

  describe('PATCH', () => {
    it('passes the change to idp-api, and records only the fields’ names [support-patch.answer, support-audit.private]', async () => {
      const krn = newKrn();
      const { status, body } = await support.act('PATCH', krn, '', { body: { ...CHANGE, other: 1 } });
      expect([status, body]).toEqual([200, { array_user_details: supportUser(krn).array_user_details }]);
      expect(support.asked(krn)).toMatchObject([
        { method: 'PATCH', url: supportUserPath(krn), body: { ...CHANGE, other: 1 } },
      ]);
      const trail = await support.trail(krn);
      const fields = ['emailAddress', 'phoneNumber', 'ssn', 'dob', 'address'];
      expect(trail).toMatchObject([{ action: 'user.update', details: { fields }, outcome: 'succeeded' }]);
      expect(JSON.stringify(await support.database.query('select * from support.audit_entry'))).not.toMatch(PERSONAL);
    });

    it('answers with the names of the invalid fields, but never with their values [support-patch.ssn, support-errors.private]', async () => {
      support.refuse(400, 'validation_failed', [
        { field: 'ssn', message: 'is missing or wrong' },
        { field: 'address.zip', message: 'is missing or wrong' },
      ]);
      const [status, text] = await refusal(support.act('PATCH', newKrn(), '', { body: CHANGE }));
      expect([status, text]).toEqual([400, 'ssn: is missing or wrong; address.zip: is missing or wrong']);
    });

    it.each([
      [400, 'identity_not_confirmed', 400, /does not confirm/, 'refused'],
      [502, 'vendor_failed', 502, /^provider unavailable$/, 'failed'],
      [504, 'vendor_timeout', 504, /^provider timed out$/, 'failed'],
      [504, 'user_busy', 504, /^provider timed out$/, 'failed'],
    ])('when idp-api answers %i %s, answers %i [support-patch.refused]', async (from, code, status, text, outcome) => {
      const krn = newKrn();
      support.refuse(from, code);
      expect(await refusal(support.act('PATCH', krn, '', { body: CHANGE }))).toEqual([
        status,
        expect.stringMatching(text),
      ]);
      expect(await support.trail(krn)).toMatchObject([{ outcome, error: code }]);
    });

    it('passes a body that is missing, null, a list or a string to idp-api, and returns the refusal', async () => {
      for (const body of ['null', '[]', '"x"', undefined]) {
        const krn = newKrn();
        support.refuse(400, 'validation_failed', [{ field: 'body', message: 'is missing or wrong' }]);
        expect((await refusal(support.act('PATCH', krn, '', { body })))[0]).toBe(400);
        expect(await support.trail(krn)).toMatchObject([{ details: { fields: [] }, outcome: 'refused' }]);
      }
    });
  });

  describe('DELETE', () => {
    it('has idp-api delete the user, and records the action [support-delete.answer]', async () => {
      const krn = newKrn();
      const { status, body } = await support.act('DELETE', krn);
      expect([status, body]).toEqual([200, { deleted: true }]);
      expect(await support.trail(krn)).toMatchObject([{ action: 'user.delete', outcome: 'succeeded' }]);
    });
  });

  describe('POST enroll', () => {
    const enroll = (krn: string, srts?: unknown) => support.act('POST', krn, '/enroll', { body: { srts } });

    it('passes the content of valid receipts to idp-api [support-enroll.receipt]', async () => {
      const krn = newKrn();
      const iat = now() - 60;
      const srts = [
        await receiptToken(krn, { subscription_id: 'sub_1', entitlements: ['idp.identity', 'vpn'], iat }),
        await receiptToken(krn, { subscription_id: 'sub_2', typ: 'application/SRT+JWT' }),
      ];
      const { status, body } = await enroll(krn, srts);
      expect([status, body]).toEqual([200, { enrollments: supportUser(krn).enrollments }]);
      expect(support.asked(krn)).toMatchObject([{ method: 'POST', url: supportEnrollPath(krn) }]);
      expect(support.asked(krn)[0]?.body).toEqual({
        receipts: [
          {
            subscriptionId: 'sub_1',
            entitlements: ['idp.identity', 'vpn'],
            issuedAt: new Date(iat * 1000 + 999).toISOString(),
          },
          { subscriptionId: 'sub_2', entitlements: ['idp.identity'], issuedAt: expect.any(String) },
        ],
      });
      expect(await support.trail(krn)).toMatchObject([
        { action: 'user.enroll', details: { receipts: 2, subscriptions: ['sub_1', 'sub_2'] }, outcome: 'succeeded' },
      ]);
    });

    it('accepts 100 receipts that are signed with a key that the app has not read yet [support-enroll.receipt]', async () => {
      const krn = newKrn();
      expect((await enroll(krn, [await receiptToken(krn)])).status).toBe(200);
      publishKeys(support.issuer, 'k1', 'k2');
      const srts = await Promise.all(Array.from({ length: 100 }, () => receiptToken(krn, { kid: 'k2' })));
      expect((await enroll(krn, srts)).status).toBe(200);
    });

    it('counts a receipt without a time of issue as issued in 1970, so that any known end of its subscription ends it [support-enroll.receipt]', async () => {
      const krn = newKrn();
      expect((await enroll(krn, [await receiptToken(krn, { iat: undefined })])).status).toBe(200);
      expect(support.asked(krn)[0]?.body).toMatchObject({ receipts: [{ issuedAt: '1970-01-01T00:00:00.999Z' }] });
    });

    it.each([['{}'], ['{"srts":null}'], ['{"srts":[]}'], [undefined]])(
      'enrolls without receipts when the body is %s [support-enroll.none]',
      async (body) => {
        const krn = newKrn();
        expect((await support.act('POST', krn, '/enroll', { body })).status).toBe(200);
        expect(support.asked(krn)).toMatchObject([{ body: { receipts: [] } }]);
      },
    );

    it.each<[string, (krn: string) => TokenChange]>([
      ['that is forged', () => ({ forged: true })],
      ['that is expired', () => ({ exp: now() - 120 })],
      ['that is an access token', () => ({ typ: 'JWT' })],
      ['without a type', () => ({ typ: undefined })],
      ['of another user', () => ({ sub: newKrn() })],
      ['of another issuer', () => ({ iss: 'https://issuer.test/openid' })],
      ['for another audience', () => ({ aud: 'partners' })],
      ['without a subscription', () => ({ subscription_id: undefined })],
      ['without entitlements', () => ({ entitlements: undefined })],
      ['with entitlements that are not strings', () => ({ entitlements: [1] })],
    ])('refuses all receipts when one of them is a token %s [support-enroll.bad-receipt]', async (_, change) => {
      const krn = newKrn();
      const good = await receiptToken(krn);
      const bad = await receiptToken(krn, change(krn));
      const [status, text] = await refusal(enroll(krn, [good, bad, good]));
      expect([status, text]).toEqual([400, 'srts[1]: is not a valid subscription receipt token of this user']);
      expect(support.asked(krn)).toEqual([]);
      expect(await support.trail(krn)).toMatchObject([{ outcome: 'refused', error: 'invalid_receipt' }]);
    });

    it.each([[''], ['x.y.z'], ['not a token']])('refuses the receipt %j [support-enroll.bad-receipt]', async (text) => {
      expect((await refusal(enroll(newKrn(), [text])))[0]).toBe(400);
    });

    it.each<[unknown, string]>([
      ['one', 'srts: must be a list of strings'],
      [{}, 'srts: must be a list of strings'],
      [[1], 'srts: must be a list of strings'],
      [[null], 'srts: must be a list of strings'],
      [Array.from({ length: 101 }, () => 'x'), 'srts: must be a list of at most 100'],
    ])('refuses the srts %j with 400 and the reason, and does not record them', async (srts, reason) => {
      const krn = newKrn();
      expect(await refusal(enroll(krn, srts))).toEqual([400, reason]);
      expect([await support.trail(krn), support.asked(krn)]).toEqual([[], []]);
    });

    it.each([
      [400, 'entitlements_required', 400, /^entitlements required$/, 'refused'],
      [429, 'attempts_too_early', 400, /locked/, 'refused'],
      [403, 'maximum_attempts_reached', 400, /locked/, 'refused'],
      [502, 'vendor_failed', 502, /unavailable/, 'failed'],
      [504, 'vendor_timeout', 504, /timed out/, 'failed'],
    ])(
      'when idp-api answers %i %s, answers %i [support-enroll.entitlements]',
      async (from, code, status, text, outcome) => {
        const krn = newKrn();
        support.refuse(from, code);
        expect(await refusal(enroll(krn))).toEqual([status, expect.stringMatching(text)]);
        expect(await support.trail(krn)).toMatchObject([{ outcome, error: code }]);
      },
    );
  });

  describe('POST enrollment-sync', () => {
    it('publishes enrollment.sync with the event id that the answer and the entry contain [support-sync.accepted]', async () => {
      const krn = newKrn();
      const { status, body } = await support.act('POST', krn, '/enrollment-sync');
      expect([status, body]).toEqual([202, { accepted: true, eventId: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
      const events = await support.database.publishedEvents('support', 'enrollment.sync', krn);
      expect(events).toMatchObject([{ data: { krn, cause: 'support' } }]);
      expect(JSON.stringify(events)).toContain(body.eventId);
      expect(await support.trail(krn)).toMatchObject([
        { action: 'user.sync', details: { eventId: body.eventId }, outcome: 'succeeded' },
      ]);
    });

    it('publishes nothing when idp-api does not answer whether the user has a profile', async () => {
      const krn = newKrn();
      support.identity.hang();
      expect((await refusal(support.act('POST', krn, '/enrollment-sync')))[0]).toBe(503);
      expect(await support.published('enrollment.sync', krn)).toEqual([]);
      expect(await support.trail(krn)).toMatchObject([{ outcome: 'failed' }]);
    });
  });

  describe('X-Support-Reason', () => {
    const reasonOf = async (value: string) => {
      const krn = newKrn();
      const headers = { 'x-support-reason': Buffer.from(value, 'utf8').toString('latin1') };
      const { status, body } = await support.act('GET', krn, '', { headers });
      return [status, status === 200 ? (await support.trail(krn))[0]?.['reason'] : body];
    };

    it('is stored as UTF-8, without surrounding spaces, and counts as missing when it is blank [support-audit.reason]', async () => {
      expect(await reasonOf(' Fall 7: Zugang – gesperrt ')).toEqual([200, 'Fall 7: Zugang – gesperrt']);
      expect(await reasonOf('x'.repeat(500))).toEqual([200, 'x'.repeat(500)]);
      expect(await reasonOf('  ')).toEqual([200, null]);
    });

    it('is refused with 400 when it is longer than 500 characters [support-audit.reason]', async () => {
      const error = expect.stringMatching(/^X-Support-Reason: must be at most 500 characters/);
      expect(await reasonOf('x'.repeat(501))).toEqual([400, { error }]);
    });
  });

  it('an action is not carried out when its entry cannot be written [support-audit.first]', async () => {
    const krn = newKrn();
    await support.database.query('alter table support.audit_entry rename to audit_entry_away');
    try {
      expect((await refusal(support.act('DELETE', krn)))[0]).toBe(500);
      expect(support.asked(krn)).toEqual([]);
    } finally {
      await support.database.query('alter table support.audit_entry_away rename to audit_entry');
    }
  });

  it('an action returns its result when its entry cannot be finished, and the entry stays started [support-audit.first]', async () => {
    const krn = newKrn();
    await support.database.query(`
      create function support.refuse_update() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger refuse before update on support.audit_entry for each row
        when (old.krn = '${krn}' and new.outcome <> 'started') execute function support.refuse_update()`);
    try {
      expect((await support.act('DELETE', krn, '', { token: supportToken() })).status).toBe(200);
      expect(await support.trail(krn)).toMatchObject([{ action: 'user.delete', outcome: 'started' }]);
    } finally {
      await support.database.query('drop function support.refuse_update cascade');
    }
  });
});
