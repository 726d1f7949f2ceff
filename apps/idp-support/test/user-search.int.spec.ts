import { type FoundUsers, SUPPORT_SEARCH_PATH, type UserSearch } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { newKrn, Support, supportToken, type TokenChange } from './support';

const PERSONAL = /johanna\.quimby|503-555-0142|5035550142/;

describe('POST /idp/support/users/search', () => {
  let support: Support;
  beforeAll(async () => {
    support = await Support.start();
  });
  afterAll(() => support.stop());

  const search = (body: unknown, change: TokenChange = {}) =>
    support.sendRequest('POST', '/idp/support/users/search', { token: supportToken(change), body });
  const trailOf = (actor: string): Promise<Record<string, unknown>[]> =>
    support.database.query('select * from support.audit_entry where actor = $1 order by seq', [actor]);

  it.each<UserSearch>([
    { krn: 'krn:tandem:test:user:alice' },
    { email: 'johanna.quimby@mail.test' },
    { phone: '+1 (503) 555-0142' },
    { subscriptionId: 'sub-1001' },
  ])('passes the key %j to idp-api, and returns what idp-api finds [support-search.keys]', async (key) => {
    const found: FoundUsers = { items: [{ user_id: newKrn(), has_profile: true, found_by: 'email' }] };
    support.identity.answerBy(() => [200, found]);
    expect(await search(key)).toMatchObject({ status: 200, body: found });
    expect(support.identity.requests.at(-1)).toMatchObject({ method: 'POST', url: SUPPORT_SEARCH_PATH, body: key });
  });

  it('records in the audit trail the kind of key and how many users were found, but never the key’s value [support-search.private]', async () => {
    const sub = uniqueId('agent');
    const user = { user_id: newKrn(), has_profile: true, found_by: 'email' as const };
    support.identity.answerBy(() => [200, { items: [user, user] }]);
    await search({ email: 'johanna.quimby@mail.test' }, { sub });
    support.identity.answerBy(() => [200, { items: [] }]);
    expect((await search({ phone: '503-555-0142' }, { sub })).body).toEqual({ items: [] });
    const trail = await trailOf(sub);
    expect(trail).toMatchObject([
      { action: 'user.search', krn: null, details: { by: 'email', found: 2 }, outcome: 'succeeded' },
      { action: 'user.search', krn: null, details: { by: 'phone', found: 0 }, outcome: 'succeeded' },
    ]);
    expect(JSON.stringify(trail)).not.toMatch(PERSONAL);
  });

  it.each<[unknown, RegExp]>([
    [{}, /^body: must have exactly one of krn, email, phone and subscriptionId$/],
    [{ krn: 'krn:tandem:test:user:a', email: 'a@mail.test' }, /^body: must have exactly one/],
    [{ mail: 'a@mail.test' }, /^body: must have exactly one/],
    [{ krn: 'bob' }, /^krn: must be the KRN of a user$/],
    [{ email: 'johanna' }, /^email: must be an e-mail address$/],
    [{ email: null }, /^email: must be an e-mail address$/],
    [{ phone: '12345' }, /^phone: must be a phone number of 10 to 15 digits$/],
    [{ phone: '503 555 0142 ext. 3' }, /^phone: must be a phone number/],
    [{ subscriptionId: '' }, /^subscriptionId: /],
  ])('answers 400 to the search %j, and does not record it [support-search.one-key]', async (body, error) => {
    const sub = uniqueId('agent');
    expect(await search(body, { sub })).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } });
    expect(await trailOf(sub)).toEqual([]);
  });

  it('answers 401 without a token, 403 without the scope, and 503 while idp-api does not answer', async () => {
    const key = { subscriptionId: 'sub-1' };
    expect((await support.sendRequest('POST', '/idp/support/users/search', { token: null, body: key })).status).toBe(
      401,
    );
    expect((await search(key, { scope: 'payments' })).status).toBe(403);
    const sub = uniqueId('agent');
    support.identity.hang();
    expect((await search(key, { sub })).status).toBe(503);
    expect(await trailOf(sub)).toMatchObject([{ details: { by: 'subscriptionId' }, outcome: 'failed' }]);
  });
});
