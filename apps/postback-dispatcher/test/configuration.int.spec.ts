import { postbackConfigurationPath } from '@tandem/internal-api';
import { TestServiceKeys, uniqueId } from '@tandem/testing';
import { Dispatcher, serviceToken } from './dispatcher';

const URL = 'http://127.0.0.1:9/postback';
const BEARER = { url: URL, authMethod: 'Bearer', key: 'a-very-secret-key' } as const;

describe('the postback configuration', () => {
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
  });
  afterAll(() => dispatcher?.stop());

  it('is created with 201 and a signing secret, and returned without the key [postback.create, postback.view, postback.key-never-back, postback.signing-secret]', async () => {
    const partner = uniqueId('partner');
    const created = await dispatcher.save(partner, BEARER);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      url: URL,
      authMethod: 'Bearer',
      hasKey: true,
      status: 'active',
      signingEnabled: true,
      notifyClosures: false,
      pausedUntil: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const read = await dispatcher.read(partner);
    const { signingSecret, ...view } = created.body;
    expect(read.status).toBe(200);
    expect(read.body).toEqual(view);
    expect(read.text).not.toContain(BEARER.key);
    expect(read.text).not.toContain(signingSecret);
  });

  it('is stored with the key and the signing secret encrypted [postback.key-never-back]', async () => {
    const partner = uniqueId('partner');
    const { body } = await dispatcher.save(partner, BEARER);
    const rows = await dispatcher.database.query(`select * from postback.endpoint where partner_id = $1`, [partner]);
    const stored = JSON.stringify(rows);
    expect(rows).toHaveLength(1);
    expect(stored).not.toContain(BEARER.key);
    expect(stored).not.toContain(Buffer.from(BEARER.key).toString('base64url'));
    expect(stored).not.toContain(body.signingSecret);
  });

  it('is changed with 200, without a signing secret [postback.create, postback.signing-secret]', async () => {
    const partner = uniqueId('partner');
    await dispatcher.save(partner, BEARER);
    const changed = await dispatcher.save(partner, { ...BEARER, url: `${URL}/2` });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ url: `${URL}/2` });
    expect(changed.body).not.toHaveProperty('signingSecret');
  });

  it.each([undefined, null])('can be saved again with %s as the key [postback.key-kept]', async (key) => {
    const partner = uniqueId('partner');
    await dispatcher.save(partner, BEARER);
    expect((await dispatcher.save(partner, { url: URL, authMethod: 'Bearer', key })).status).toBe(200);
  });

  it('needs a key when the authentication method changes [postback.key-needed]', async () => {
    const partner = uniqueId('partner');
    await dispatcher.save(partner, BEARER);
    const refused = await dispatcher.save(partner, { url: URL, authMethod: 'Basic' });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: 'validation_failed', errors: [{ field: 'key' }] });
    expect((await dispatcher.read(partner)).body).toMatchObject({ authMethod: 'Bearer' });
    expect((await dispatcher.save(partner, { url: URL, authMethod: 'Basic', key: 'user:password' })).status).toBe(200);
  });

  it('is separate for each environment [tokens.test-data-only, postback.environments]', async () => {
    const partner = uniqueId('partner');
    expect((await dispatcher.save(partner, BEARER, 'live')).status).toBe(201);
    expect((await dispatcher.read(partner, 'test')).status).toBe(404);
    expect((await dispatcher.save(partner, { ...BEARER, url: `${URL}/test` }, 'test')).status).toBe(201);
    expect((await dispatcher.read(partner, 'live')).body.url).toBe(URL);
  });

  it('is created by only one of ten concurrent saves', async () => {
    const partner = uniqueId('partner');
    const answers = await Promise.all(Array.from({ length: 10 }, () => dispatcher.save(partner, BEARER)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  });

  it('causes 404 before it is created [errors.postback-not-configured]', async () => {
    const answer = await dispatcher.read(uniqueId('partner'));
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'postback_not_configured' });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect((await dispatcher.read(uniqueId('partner'), 'staging')).status).toBe(404);
    const impossible = await dispatcher.request('GET', '/internal/postback-configurations/%00/live');
    expect(impossible).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it.each([
    ['url', 'missing', { authMethod: 'Bearer', key: 'k' }],
    ['url', 'not a string', { ...BEARER, url: 5 }],
    ['url', 'not a URL', { ...BEARER, url: 'postback' }],
    ['url', 'private', { ...BEARER, url: 'http://10.0.0.1/' }],
    ['url', 'a metadata address in another notation', { ...BEARER, url: 'http://0xa9fea9fe/latest/meta-data' }],
    ['url', 'with a user', { ...BEARER, url: 'http://user@127.0.0.1/' }],
    ['url', 'with a fragment', { ...BEARER, url: `${URL}#x` }],
    ['url', 'too long', { ...BEARER, url: `${URL}/${'a'.repeat(2048)}` }],
    ['url', 'a name that does not resolve', { ...BEARER, url: 'http://nowhere.invalid/' }],
    ['authMethod', 'missing', { url: URL, key: 'k' }],
    ['authMethod', 'unknown', { ...BEARER, authMethod: 'Digest' }],
    ['key', 'missing on creation', { url: URL, authMethod: 'Bearer' }],
    ['key', 'null on creation', { ...BEARER, key: null }],
    ['key', 'empty', { ...BEARER, key: '' }],
    ['key', 'not a string', { ...BEARER, key: 5 }],
    ['key', 'a key with a line break', { ...BEARER, key: 'a\r\nX-Evil: 1' }],
    ['key', 'without a user', { ...BEARER, authMethod: 'Basic', key: ':password' }],
  ])(
    'is refused when its %s is invalid (%s) [postback.url-form, postback.unresolved, errors.validation-failed]',
    async (field, _, body) => {
      const partner = uniqueId('partner');
      const refused = await dispatcher.save(partner, body as never);
      expect(refused.status).toBe(422);
      expect(refused.body).toMatchObject({
        code: 'validation_failed',
        status: 422,
        errors: [{ field, message: expect.any(String) }],
      });
      expect((await dispatcher.read(partner)).status).toBe(404);
    },
  );

  it('has all its invalid fields reported in one answer [errors.fields]', async () => {
    const { body } = await dispatcher.save(uniqueId('partner'), {
      url: 'http://10.0.0.1/',
      authMethod: 'Basic',
      key: 'x',
    });
    expect((body['errors'] as { field: string }[]).map(({ field }) => field)).toEqual(['url', 'key']);
  });

  it.each<[string, string | Promise<string>]>([
    ['no token', ''],
    ['a token for another audience', serviceToken('partner-gateway')],
    [
      'a token that was signed with another key',
      serviceToken('postback-dispatcher', new TestServiceKeys('partner-gateway')),
    ],
  ])('is not available to callers with %s', async (_, token) => {
    const answer = await dispatcher.request('GET', postbackConfigurationPath('p', 'live'), undefined, token);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('gets another signing secret by a rotation, but only after it was created [postback.rotate]', async () => {
    const partner = uniqueId('partner');
    const path = `${postbackConfigurationPath(partner, 'live')}/signing-secret`;
    expect((await dispatcher.request('POST', path)).status).toBe(404);
    const created = await dispatcher.save(partner, BEARER);
    const rotated = await dispatcher.request('POST', path);
    expect(rotated.status).toBe(200);
    expect(rotated.body).toEqual({ signingSecret: expect.stringMatching(/^whsec_/) });
    expect(rotated.body.signingSecret).not.toBe(created.body.signingSecret);
  });
});
