import { SUPPORT_SEARCH_PATH, supportUserPath, type UserSearch } from '@tandem/internal-api';
import { sendRequest, uniqueId } from '@tandem/testing';
import { newKrn, type TestUser } from './idp';
import { receipt, SupportCalls } from './support-calls';

describe('POST /internal/support/users/search', () => {
  let support: SupportCalls;
  beforeAll(async () => {
    support = await SupportCalls.start();
  });
  afterAll(() => support.idp.stop());

  const search = async (key: UserSearch) => {
    const { status, body } = await support.call('POST', SUPPORT_SEARCH_PATH, key);
    expect(status).toBe(200);
    return body.items;
  };
  const found = ({ krn }: TestUser, found_by: keyof UserSearch, has_profile = true) => ({
    user_id: krn,
    has_profile,
    found_by,
  });
  let numbers = 0;
  const newPhone = (): string => `503${String(Date.now()).slice(-6)}${numbers++ % 10}`;

  it('finds a user by an e-mail address in capitals or with a tag [support-search.keys]', async () => {
    const name = uniqueId('jo');
    const user = await support.idp.createUser({ emailAddress: `${name}@mail.test` });
    for (const email of [`${name}@mail.test`, `${name.toUpperCase()}@Mail.Test`, `${name}+shop@mail.test`]) {
      expect(await search({ email })).toEqual([found(user, 'email')]);
    }
    expect(await search({ email: `${name}x@mail.test` })).toEqual([]);
  });

  it('finds a user by a phone number, with or without separators and country code [support-search.keys]', async () => {
    const phone = newPhone();
    const user = await support.idp.createUser({ phoneNumber: phone });
    const grouped = `(${phone.slice(0, 3)}) ${phone.slice(3, 6)}-${phone.slice(6)}`;
    for (const spelling of [phone, grouped, `+1 ${grouped}`, `1${phone}`]) {
      expect(await search({ phone: spelling })).toEqual([found(user, 'phone')]);
    }
    expect(await search({ phone: newPhone() })).toEqual([]);
  });

  it('finds the first 10 users, sorted by KRN, who share an e-mail address [support-search.keys]', async () => {
    const emailAddress = `${uniqueId('family')}@mail.test`;
    const users: TestUser[] = [];
    for (let user = 0; user < 11; user++) users.push(await support.idp.createUser({ emailAddress }));
    const first = users
      .map(({ krn }) => krn)
      .sort()
      .slice(0, 10);
    expect((await search({ email: emailAddress })).map(({ user_id }: { user_id: string }) => user_id)).toEqual(first);
  });

  it('finds the user of a subscription and the holder of its receipt, with or without a profile [support-search.keys]', async () => {
    const user = await support.idp.createUser();
    const subscriptionId = user.subscriptionId as string;
    const holder = await support.idp.createUser();
    await support.enroll(holder, [receipt({ subscriptionId })]);
    const expected = [found(user, 'subscriptionId'), found(holder, 'subscriptionId')];
    expect(await search({ subscriptionId })).toEqual(expected.sort((a, b) => (a.user_id < b.user_id ? -1 : 1)));
    const entitled = await support.idp.entitledUser();
    const bySubscription = { subscriptionId: entitled.subscriptionId as string };
    expect(await search(bySubscription)).toEqual([found(entitled, 'subscriptionId', false)]);
    expect(await search({ subscriptionId: uniqueId('sub') })).toEqual([]);
  });

  it('finds a user by KRN if something is stored about the user [support-search.keys]', async () => {
    const user = await support.idp.createUser();
    expect(await search({ krn: user.krn })).toEqual([found(user, 'krn')]);
    const entitled = await support.idp.entitledUser();
    expect(await search({ krn: entitled.krn })).toEqual([found(entitled, 'krn', false)]);
    expect(await search({ krn: newKrn() })).toEqual([]);
  });

  it('finds a profile by its changed data, and finds nobody after a delete [support-search.follows]', async () => {
    const [before, after] = [`${uniqueId('a')}@mail.test`, `${uniqueId('b')}@mail.test`];
    const phone = newPhone();
    const user = await support.idp.createUser({ emailAddress: before, phoneNumber: null });
    expect((await support.idp.request('PATCH', '/me', user, { emailAddress: after, phoneNumber: phone })).status).toBe(
      200,
    );
    expect(await search({ email: before })).toEqual([]);
    expect(await search({ email: after })).toEqual([found(user, 'email')]);
    expect(await search({ phone })).toEqual([found(user, 'phone')]);
    expect((await support.call('DELETE', supportUserPath(user.krn))).status).toBe(200);
    expect([await search({ email: after }), await search({ phone })]).toEqual([[], []]);
  });

  it('finds a user whose data no configured key can decrypt, because a search decrypts nothing [support-search.private]', async () => {
    const emailAddress = `${uniqueId('sealed')}@mail.test`;
    const user = await support.idp.createUser({ emailAddress });
    await support.idp.database.query(
      `update idp.profile set email_address = 'k9.lost', phone_number = 'k9.lost' where krn = $1`,
      [user.krn],
    );
    expect(await search({ email: emailAddress })).toEqual([found(user, 'email')]);
    await support.idp.database.query('delete from idp.profile where krn = $1', [user.krn]);
  });

  it('answers 400 to a search with no key or two keys, and 401 without a service token [support-search.one-key]', async () => {
    for (const body of [{}, { krn: newKrn(), email: 'a@mail.test' }]) {
      const { status, body: problem } = await support.call('POST', SUPPORT_SEARCH_PATH, body);
      expect([status, problem.code]).toEqual([400, 'validation_failed']);
    }
    const path = support.idp.running.url + SUPPORT_SEARCH_PATH;
    expect((await sendRequest('POST', path, { token: null, body: { krn: newKrn() } })).status).toBe(401);
  });
});
