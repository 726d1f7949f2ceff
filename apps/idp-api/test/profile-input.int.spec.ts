import { mutationsOf } from '@tandem/testing';
import { createBody, Idp, newKrn, type TestUser } from './idp';

const CHANGE = {
  emailAddress: 'new@mail.test',
  phoneNumber: '5035550199',
  ssn: '6789',
  dob: '1990-01-31',
  address: { street: '1 Oak', city: 'Salem', state: 'OR', zip: '97301' },
};

const yearsAgo = (years: number, days = 0): string => {
  const today = new Date();
  const date = new Date(Date.UTC(today.getUTCFullYear() - years, today.getUTCMonth(), today.getUTCDate() + days));
  return date.toISOString().slice(0, 10);
};

const address = (change: object) => ({ address: { ...CHANGE.address, ...change } });

/** Each change makes one field of a valid body invalid. `path` is the field that the answer must name. */
const WRONG: readonly (readonly [path: string, change: object])[] = [
  ...['', '   ', 'a'.repeat(65), 5, true, [], {}, ['Jo'], 'a\0b', 'a\nb', '\ud800'].flatMap((value) => [
    ['firstName', { firstName: value }] as const,
    ['lastName', { lastName: value }] as const,
  ]),
  ...['1984-02-30', '2023-02-29', '84-02-03', '1984-2-3', '19840203', '1984-02-03T00:00:00Z', 448, '', {}].map(
    (dob) => ['dob', { dob }] as const,
  ),
  ['dob', { dob: yearsAgo(18, 1) }],
  ['dob', { dob: yearsAgo(121) }],
  ...[
    '',
    'jane',
    'jane@',
    '@mail.test',
    'a b@mail.test',
    `${'a'.repeat(250)}@m.test`,
    'a@b\0.test',
    'a@b..co',
    'a@.b.co',
    'a@b',
    'a"b@c.test',
    'a\u0001@b.test',
    7,
    ['a@b.test'],
  ].map((emailAddress) => ['emailAddress', { emailAddress }] as const),
  ...['123456789', '1234567890123456', '503 555 0142', '+15035550142', '٥٠٣٥٥٥٠١٤٢', 5035550142, ''].map(
    (phoneNumber) => ['phoneNumber', { phoneNumber }] as const,
  ),
  ...['123', '12345', '12345678', '1234567890', '123-45-6789', '0000', '000456789', '666456789', '900456789'].map(
    (ssn) => ['ssn', { ssn }] as const,
  ),
  ...['123006789', '123450000', 6789, '', '67 89'].map((ssn) => ['ssn', { ssn }] as const),
  ...['none', 5, [], [{}], true, ''].map((value) => ['address', { address: value }] as const),
  ...['', ' ', 'a'.repeat(101), 5, 'a\tb', null].map((street) => ['address.street', address({ street })] as const),
  ...['', 'a'.repeat(65), {}].map((city) => ['address.city', address({ city })] as const),
  ...['', 'O', 'ORE', 'ZZ', 'UM', 'Oregon', 12].map((state) => ['address.state', address({ state })] as const),
  ...['', '9730', '973011', '97301-', '97301-12', '97301 0001', 97301].map(
    (zip) => ['address.zip', address({ zip })] as const,
  ),
];

const invalid = (...paths: string[]) => ({ BadRequest: { InputValidationFailure: { invalid_fields: paths } } });

/** How many requests run concurrently in a test that sends hundreds of requests. */
const AT_ONCE = 20;

describe('bodies of the profile', () => {
  let idp: Idp;
  let user: TestUser;
  beforeAll(async () => {
    idp = await Idp.start({
      env: { RATE_LIMIT_ONBOARDING_PER_MINUTE: '99999', RATE_LIMIT_CLIENT_PER_MINUTE: '99999' },
    });
    user = { krn: newKrn() };
  });
  afterAll(() => idp.stop());

  const create = (body: unknown) => idp.request('POST', '', user, body);
  const change = (body: unknown) => idp.request('PATCH', '/me', user, body);
  const migrate = (body: unknown) => idp.request('POST', '/me/migration', user, body);

  it('a create with an invalid field gets an error that names exactly this field [idp-input.fields]', async () => {
    for (const [path, wrong] of WRONG) {
      const { status, body } = await create(createBody(wrong));
      expect({ wrong, status, body }).toEqual({ wrong, status: 400, body: invalid(path) });
    }
  });

  it('a change with an invalid field gets an error that names exactly this field [idp-input.change]', async () => {
    for (const [path, wrong] of WRONG.filter(([name]) => !name.endsWith('Name'))) {
      const { body } = await change(wrong);
      expect({ wrong, body }).toEqual({ wrong, body: invalid(path) });
    }
  });

  it.each(['firstName', 'lastName', 'dob', 'emailAddress', 'address'])(
    'a create needs the field %s, and null counts as missing [idp-input.required]',
    async (field) => {
      for (const value of [undefined, null])
        expect((await create(createBody({ [field]: value }))).body).toEqual(invalid(field));
    },
  );

  it('a create with several invalid fields gets an error that names all of them, in the order of CreateUserBody [idp-input.all-fields]', async () => {
    const { body } = await create({ address: { state: 'OR', zip: 'x' }, ssn: 1, firstName: 'Jo' });
    expect(body).toEqual(
      invalid('lastName', 'dob', 'emailAddress', 'address.street', 'address.city', 'address.zip', 'ssn'),
    );
  });

  it('values at the limits are valid: 64 code points, 18 and 120 years, 4 or 9 digits, e-mails of 254 characters [idp-input.limits]', async () => {
    const right: readonly object[] = [
      { firstName: '😀'.repeat(64) },
      { dob: yearsAgo(18) },
      { dob: yearsAgo(120) },
      { ssn: '0001' },
      { ssn: '001010001' },
      { emailAddress: `${'a'.repeat(247)}@m.test` },
      { phoneNumber: '123456789012345' },
      { unknown: { deep: [1] }, constructor: { a: 1 } },
      { version: null, ssn: null, phoneNumber: null },
    ];
    // The user lacks the entitlement, which is checked after the body. A valid body therefore gets EntitlementsRequired.
    for (const each of right) {
      expect({ each, body: (await create(createBody(each))).body }).toEqual({
        each,
        body: { BadRequest: { EntitlementsRequired: {} } },
      });
    }
  });

  it.each([2, -1, 1.5, '1', true, {}, []])(
    'a create and a migration with the version %j are refused [idp-input.version]',
    async (version) => {
      expect((await create(createBody({ version }))).body).toEqual(invalid('version'));
      expect((await migrate({ version })).body).toEqual(invalid('version'));
    },
  );

  it('a change of no field and a migration without a body are refused as invalid bodies [idp-input.empty-change, idp-input.migration-body]', async () => {
    for (const body of [undefined, '{}', 'null', '{"unknown":1}', '{"ssn":null}', '{"firstName":"Jo"}']) {
      expect({ body, answer: (await change(body)).body }).toEqual({ body, answer: invalid('body') });
    }
    for (const body of [undefined, 'null']) expect((await migrate(body)).body).toEqual(invalid('body'));
    expect((await migrate({})).body).toEqual({ BadRequest: { UserNotFound: {} } });
  });

  it('a body is invalid if it is broken JSON, is not an object, or contains __proto__ [idp-input.broken]', async () => {
    for (const body of ['{', '"text"', '7', '[]', 'true', '{"a":1}}', '{"__proto__":{"a":1}}', '['.repeat(2000)]) {
      for (const send of [create, change, migrate])
        expect({ body, answer: (await send(body)).body }).toEqual({ body, answer: invalid('body') });
    }
  });

  it('a body gets 415 if its type is not JSON, and 413 if it is larger than 64 KiB [idp-input.type, idp-input.size]', async () => {
    const token = await idp.issuers.token(user.krn);
    const send = (type: string, body: string) =>
      fetch(`${idp.running.url}/idp/array/users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        body,
      });
    for (const [answer, status] of [
      [await send('text/plain', '{}'), 415],
      [await send('application/json', JSON.stringify({ firstName: 'a'.repeat(65_536) })), 413],
    ] as const) {
      expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([status, ['error']]);
    }
  });

  it('routes that need no body ignore the body, whatever it contains [idp-input.ignored]', async () => {
    for (const [method, path] of [
      ['POST', '/me/enroll'],
      ['POST', '/me/token'],
      ['DELETE', '/me'],
    ] as const) {
      for (const body of ['{', '[]', JSON.stringify('a'.repeat(100_000))]) {
        const { status, body: answer } = await idp.request(method, path, user, body);
        expect([status, answer]).toEqual([400, { BadRequest: { UserNotFound: {} } }]);
      }
    }
  });

  it('no mutation of a valid body causes an internal error', async () => {
    const mutations = [...mutationsOf(createBody(CHANGE))];
    while (mutations.length > 0) {
      const some = mutations.splice(0, AT_ONCE);
      const answers = await Promise.all(
        some.map(async ({ name, json }) => ({ name, status: (await create(json)).status })),
      );
      expect(answers).toEqual(some.map(({ name }) => ({ name, status: 400 })));
    }
  }, 120_000);
});
