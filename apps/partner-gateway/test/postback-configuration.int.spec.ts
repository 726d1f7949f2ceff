import { ServicePublicKeys, verifyServiceToken } from '@tandem/auth';
import { Gateway, SERVICE_KEYS, type TestPartner } from './gateway';

const PATH = '/api/v2/partner/postback';
const VIEW = {
  url: 'https://partner.example.com/hook',
  authMethod: 'Bearer',
  hasKey: true,
  status: 'active',
  signingEnabled: true,
  notifyClosures: false,
  pausedUntil: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

describe('/partner/postback', () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start({ POSTBACK_DISPATCHER_TIMEOUT_MS: '2000' });
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  const get = (token = partner.token) => gateway.request('GET', PATH, { token });
  const save = (body: unknown, token = partner.token) => gateway.request('POST', PATH, { token, body });
  const asked = () => gateway.dispatcher.requests.at(-1);

  describe('GET', () => {
    it('relays the configuration of the token’s partner and environment [interface.postback-read]', async () => {
      gateway.dispatcher.answer(200, VIEW);
      expect(await get()).toMatchObject({ status: 200, body: VIEW });
      expect(asked()).toMatchObject({ method: 'GET', url: `/internal/postback-configurations/${partner.id}/live` });
      await get(partner.testToken);
      expect(asked()?.url).toBe(`/internal/postback-configurations/${partner.id}/test`);
    });

    it('calls postback-dispatcher with a service token and the request id, not with the partner’s token', async () => {
      gateway.dispatcher.answer(200, VIEW);
      const { headers } = await get();
      const { authorization = '', 'x-request-id': requestId } = asked()?.headers ?? {};
      expect(requestId).toBe(headers.get('x-request-id'));
      const publicKeys = new ServicePublicKeys(SERVICE_KEYS.publicKeysOf());
      const verified = await verifyServiceToken({
        publicKeys,
        token: authorization.replace('Bearer ', ''),
        audience: 'postback-dispatcher',
        now: new Date(),
      });
      expect(verified).toEqual({ from: 'partner-gateway' });
      expect(JSON.stringify(asked()?.headers)).not.toContain(partner.token);
    });

    it('sends postback-dispatcher a time limit of 80 % of POSTBACK_DISPATCHER_TIMEOUT_MS', async () => {
      gateway.dispatcher.answer(200, VIEW);
      await get();
      expect(asked()?.headers['x-request-timeout-ms']).toBe('1600');
    });

    it('relays the error 404 postback_not_configured of postback-dispatcher [errors.postback-not-configured]', async () => {
      gateway.dispatcher.answer(404, { code: 'postback_not_configured' });
      expect(await get()).toMatchObject({ status: 404, body: { code: 'postback_not_configured' } });
    });
  });

  describe('POST', () => {
    const body = { url: VIEW.url, authMethod: 'Bearer', key: 'secret-key' };

    it('relays `notifyClosures` [closures.opt-in]', async () => {
      gateway.dispatcher.answer(200, { ...VIEW, notifyClosures: true });
      expect(await save({ ...body, notifyClosures: true })).toMatchObject({
        status: 200,
        body: { notifyClosures: true },
      });
      expect(asked()?.body).toEqual({ ...body, notifyClosures: true });
      await save(body);
      expect(asked()?.body).toEqual(body);
      expect(await save({ ...body, notifyClosures: 1 })).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'notifyClosures' }] },
      });
    });

    it.each([
      [201, { ...VIEW, signingSecret: 'whsec_once' }],
      [200, VIEW],
    ])(
      'relays the status %i and the body of postback-dispatcher’s answer [interface.postback-write, postback.create]',
      async (status, view) => {
        gateway.dispatcher.answer(status, view);
        const answer = await save(body);
        expect(answer).toMatchObject({ status, body: view });
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(asked()).toMatchObject({ method: 'PUT', body });
      },
    );

    it('relays the given fields, and drops unknown fields [interface.postback-write]', async () => {
      gateway.dispatcher.answer(200, VIEW);
      await save({ ...body, key: null, partnerId: 'other', hasKey: false });
      expect(asked()?.body).toEqual({ ...body, key: null });
    });

    it.each([
      ['a character that cannot be stored', '\u0000'],
      ['half of a surrogate pair', '\ud800'],
      ['too many characters', 'x'.repeat(2048)],
    ])('answers 422 to a url with %s, and adds no audit row', async (_, part) => {
      const owner = await gateway.createPartner();
      const answer = await save({ ...body, url: `https://partner.example.com/${part}` }, owner.token);
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'url' }] } });
      expect(
        await gateway.database.query(
          `select from partner.audit_entry where entity_id = $1 and action like 'postback.%'`,
          [owner.id],
        ),
      ).toEqual([]);
    });

    it('reports every invalid field, without a call to postback-dispatcher [errors.validation-failed]', async () => {
      const before = gateway.dispatcher.requests.length;
      expect(await save({ url: 7, authMethod: 'Digest', key: 7 })).toMatchObject({
        status: 422,
        body: {
          code: 'validation_failed',
          errors: [
            { field: 'url', message: 'url must be a string' },
            { field: 'authMethod', message: 'authMethod must be one of Bearer, Basic' },
            { field: 'key', message: 'key must be a string' },
          ],
        },
      });
      expect(gateway.dispatcher.requests).toHaveLength(before);
    });

    it('relays postback-dispatcher’s errors about fields [errors.validation-failed]', async () => {
      const errors = [{ field: 'url', message: 'url must be https' }];
      gateway.dispatcher.answer(422, { code: 'validation_failed', errors });
      expect(await save(body)).toMatchObject({ status: 422, body: { code: 'validation_failed', errors } });
    });

    it.each(['{', '[]', '1'])(
      'answers 400 to the body %s, without a call to postback-dispatcher [errors.malformed-request]',
      async (text) => {
        const before = gateway.dispatcher.requests.length;
        expect(await save(text)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
        expect(gateway.dispatcher.requests).toHaveLength(before);
      },
    );
  });

  describe('in the audit trail of the partner', () => {
    const body = { url: VIEW.url, authMethod: 'Bearer', key: 'a-key-of-the-partner' };
    const auditOf = async ({ id }: TestPartner, actions: string) => {
      const { items } = (await gateway.manage('GET', `/admin/audit?partnerId=${id}&entity=postback`)).body;
      return (items as { action: string }[]).filter(({ action }) => action.startsWith(actions));
    };

    it('a save has entries for its request and its success, which name the token but contain no key or secret [admin.audit-list, admin.audit-row]', async () => {
      const owner = await gateway.createPartner();
      gateway.dispatcher.answer(201, { ...VIEW, signingSecret: 'whsec_once' });
      const { status, headers } = await save(body, owner.token);
      expect(status).toBe(201);
      const entries = await auditOf(owner, 'postback.save');
      const requestId = headers.get('x-request-id');
      const actor = expect.stringMatching(/^token:tok_[0-9a-f]{32}$/);
      const common = { actor, requestId, entity: 'postback', entityId: owner.id };
      expect(entries).toMatchObject([
        {
          ...common,
          action: 'postback.saved',
          after: { environment: 'live', url: VIEW.url, hasKey: true, isKeyGiven: true },
        },
        {
          ...common,
          action: 'postback.save_requested',
          after: { environment: 'live', url: VIEW.url, authMethod: 'Bearer', isKeyGiven: true },
        },
      ]);
      expect(JSON.stringify(entries)).not.toMatch(/a-key-of-the-partner|whsec_once/);
    });

    it('a save in the portal has entries with the portal link as the actor [admin.audit-list]', async () => {
      const owner = await gateway.createPartner();
      const link = (await gateway.manage('POST', `/admin/partners/${owner.id}/portal-links`, { environment: 'test' }))
        .body;
      const code = String(link.url).split('#')[1];
      const session = await gateway.request('POST', '/api/v2/partner/portal-session', { token: code });
      gateway.dispatcher.answer(200, VIEW);
      await save(body, String(session.body.token));
      expect(await auditOf(owner, 'postback.saved')).toMatchObject([
        { actor: `portal-link:${String(link.id)}`, after: { environment: 'test' } },
      ]);
    });

    it('a save that postback-dispatcher refuses has only the entry for the request [admin.audit-row]', async () => {
      const owner = await gateway.createPartner();
      gateway.dispatcher.answer(422, { code: 'validation_failed', errors: [{ field: 'url', message: 'no' }] });
      expect((await save(body, owner.token)).status).toBe(422);
      expect(await auditOf(owner, 'postback.save')).toMatchObject([{ action: 'postback.save_requested' }]);
    });

    it('a save whose entry for the success cannot be written still returns the new signing secret [admin.audit-row]', async () => {
      const owner = await gateway.createPartner();
      const constraint = 'add constraint no_second check (action <> all (array[$$postback.saved$$])) not valid';
      await gateway.database.query(`alter table partner.audit_entry ${constraint}`);
      try {
        gateway.dispatcher.answer(201, { ...VIEW, signingSecret: 'whsec_once' });
        const { status, body: answer } = await save(body, owner.token);
        expect([status, answer.signingSecret]).toEqual([201, 'whsec_once']);
        expect(await auditOf(owner, 'postback.save')).toMatchObject([{ action: 'postback.save_requested' }]);
      } finally {
        await gateway.database.query('alter table partner.audit_entry drop constraint no_second');
      }
    });

    it('a replacement of the signing secret is recorded without the secret [admin.audit-row]', async () => {
      const owner = await gateway.createPartner();
      gateway.dispatcher.answer(200, { signingSecret: 'whsec_new' });
      expect((await gateway.request('POST', `${PATH}/signing-secret`, { token: owner.token })).status).toBe(200);
      const entries = await auditOf(owner, 'postback.secret');
      expect(entries).toMatchObject([
        { action: 'postback.secret_rotated', after: { environment: 'live' } },
        { action: 'postback.secret_rotation_requested' },
      ]);
      expect(JSON.stringify(entries)).not.toContain('whsec_new');
    });
  });

  describe('without a usable answer from postback-dispatcher', () => {
    it.each<[string, () => void]>([
      ['hangs', () => gateway.dispatcher.hang()],
      ['closes the connection', () => gateway.dispatcher.breakOff()],
      ['fails', () => gateway.dispatcher.answer(500, { code: 'internal', detail: 'secret detail' })],
      ['refuses the service token', () => gateway.dispatcher.answer(401, { code: 'unauthorized' })],
      ['does not know the path', () => gateway.dispatcher.answer(404, { code: 'not_found' })],
    ])('answers 503 service_unavailable when postback-dispatcher %s', async (_title, prepare) => {
      prepare();
      const body = { url: VIEW.url, authMethod: 'Bearer', key: 'k' };
      for (const answer of await Promise.all([get(), save(body)])) {
        expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
        expect(answer.headers.get('retry-after')).toBe('5');
        expect(JSON.stringify(answer.body)).not.toContain('secret detail');
      }
    });

    it('answers 503 while postback-dispatcher’s port is closed, and serves other requests [errors.unavailable]', async () => {
      const alone = await Gateway.start({ POSTBACK_DISPATCHER_URL: 'http://127.0.0.1:1' });
      try {
        const { token } = await alone.createPartner();
        expect(await alone.request('GET', PATH, { token })).toMatchObject({ status: 503 });
        expect((await alone.request('GET', '/api/v2/partner/subscription/create-checkout-url', { token })).status).toBe(
          200,
        );
      } finally {
        await alone.stop();
      }
    });
  });
});
