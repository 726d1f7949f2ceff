import { gzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { issueServiceToken, newWebhookSecret } from '@tandem/auth';
import { Webhook } from 'standardwebhooks';
import { purchase, signedHeaders, TokenIssuer } from './billing-provider';
import { alertPush } from './identity-vendor';
import {
  type Answer,
  ARRAY_PATH,
  arraySecret,
  IngestApp,
  PAYMENT_PATH,
  PLAN_CHANGE_PATH,
  postTo,
  previousArraySecret,
  previousSecret,
  secret as paymentsSecret,
} from './ingest-app';

let issuer: TokenIssuer;
let clients: TokenIssuer;
let ingest: IngestApp;

const tokenEnvironment = (): NodeJS.ProcessEnv => ({
  JWT_SERVICE_ISSUER: issuer.url,
  JWT_SERVICE_JWKS_URL: `${issuer.url}/jwks.json`,
});

beforeAll(async () => {
  [issuer, clients] = await Promise.all([TokenIssuer.start(), TokenIssuer.start()]);
  ingest = await IngestApp.start(tokenEnvironment());
});
afterAll(async () => {
  await ingest.stop();
  await Promise.all([issuer.stop(), clients.stop()]);
});

const json = { 'content-type': 'application/json' };
const now = (): number => Math.floor(Date.now() / 1000);
const at = (seconds: number): Date => new Date(Date.now() + seconds * 1000);
const expectUnauthorized = async (work: () => Promise<Answer>): Promise<void> => {
  const answer = await ingest.expectRefused(work, 401, /^unauthorized$/);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
};

/**
 * For each path: the current secret of its integration, the scope that its tokens need, the scope of the other integration, and a function
 * that creates a body.
 */
const CALLERS = [
  { path: PAYMENT_PATH, secret: paymentsSecret, scope: 'payments', otherScope: 'webhook', valid: purchase },
  { path: PLAN_CHANGE_PATH, secret: paymentsSecret, scope: 'payments', otherScope: 'webhook', valid: purchase },
  { path: ARRAY_PATH, secret: arraySecret, scope: 'webhook', otherScope: 'payments', valid: alertPush },
];

describe.each(CALLERS)('POST $path without valid credentials', ({ path, secret, scope, otherScope, valid }) => {
  const body = JSON.stringify(valid());

  it.each<[string, () => Record<string, string>]>([
    ['no header with credentials', () => ({})],
    ['a forged signature', () => signedHeaders(body, [newWebhookSecret()])],
    [
      'a signature of another integration',
      () => signedHeaders(body, [path === ARRAY_PATH ? paymentsSecret : arraySecret]),
    ],
    [
      'a signature of the body in another JSON formatting',
      () => signedHeaders(JSON.stringify(JSON.parse(body), null, 1), [secret]),
    ],
    ['a signature of a body that differs in one byte', () => signedHeaders(body.replace('a', 'b'), [secret])],
    ['a signature of another body', () => signedHeaders(`${body} `, [secret])],
    ['a signature of another webhook-id', () => ({ ...signedHeaders(body, [secret]), 'webhook-id': 'other' })],
    ['no webhook-id', () => without('webhook-id')],
    ['no webhook-timestamp', () => without('webhook-timestamp')],
    ['no webhook-signature', () => without('webhook-signature')],
    ['a malformed signature', () => ({ ...signedHeaders(body, [secret]), 'webhook-signature': 'v1' })],
    ['a malformed timestamp', () => ({ ...signedHeaders(body, [secret]), 'webhook-timestamp': 'yesterday' })],
    ['a webhook from 5 minutes and 5 seconds ago', () => signedHeaders(body, [secret], { timestamp: at(-305) })],
    [
      'a webhook from 5 minutes and 5 seconds in the future',
      () => signedHeaders(body, [secret], { timestamp: at(305) }),
    ],
    ['Basic credentials', () => ({ authorization: `Basic ${Buffer.from('a:b').toString('base64')}` })],
    ['a bearer token that is not a JWT', () => ({ authorization: 'Bearer abc' })],
    ['an empty bearer token', () => ({ authorization: 'Bearer ' })],
    ['the signing secret as a bearer token', () => ({ authorization: `Bearer ${secret.slice(6)}` })],
  ])('refuses %s [webhooks.unauthorized]', async (_name, headers) => {
    await expectUnauthorized(() => ingest.post(path, body, { ...json, ...headers() }));
  });

  it.each<[string, () => Promise<string>]>([
    ['without the scope', () => issuer.token({ scope: `${otherScope} support partner:manage` })],
    ['with a scope that only has the same prefix', () => issuer.token({ scope: `${scope}:read` })],
    ['without any scope', () => issuer.token({ scope: undefined })],
    ['that is expired', () => issuer.token({ scope, exp: now() - 61 })],
    ['for another audience', () => issuer.token({ scope, aud: 'other' })],
    ['of the issuer of users’ tokens', () => clients.token({ scope })],
    ['that names the trusted issuer but was signed with another key', () => clients.token({ scope, iss: issuer.url })],
    ['that is a receipt (SRT)', () => issuer.token({ scope }, { typ: 'srt+jwt' })],
    ['for calls between the platform’s apps', internalToken],
  ])('refuses a bearer token %s [webhooks.unauthorized]', async (_name, token) => {
    const authorization = `Bearer ${await token()}`;
    await expectUnauthorized(() => ingest.post(path, body, { ...json, authorization }));
  });

  it('refuses an invalid signature even with a valid bearer token', async () => {
    const headers = {
      ...json,
      ...signedHeaders(body, [newWebhookSecret()]),
      authorization: `Bearer ${await issuer.token({ scope })}`,
    };
    await expectUnauthorized(() => ingest.post(path, body, headers));
  });

  it.each<[string, string | Buffer]>([
    ['broken JSON', '{'],
    ['an empty body', ''],
    ['300 KiB', Buffer.alloc(300 * 1024, 'x')],
    ['a body whose content type is not JSON', 'a=b'],
  ])('answers 401 to an unauthenticated caller whatever the body is: %s', async (_name, bytes) => {
    await expectUnauthorized(() => ingest.post(path, bytes, { 'content-type': 'text/plain' }));
  });

  it('answers an unauthenticated caller before the body has arrived', async () => {
    const { hostname, port } = new URL(ingest.running.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
        );
      });
      socket.on('error', reject).once('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
    });
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  function without(name: string): Record<string, string> {
    return Object.fromEntries(Object.entries(signedHeaders(body, [secret])).filter(([header]) => header !== name));
  }

  function internalToken(): Promise<string> {
    const secrets = [randomBytes(32).toString('base64')];
    return issueServiceToken({ secrets, from: 'partner-gateway', audience: 'tandem', now: new Date() });
  }
});

describe('POST /idp/payments/webhook with valid credentials', () => {
  const expectAccepted = async (
    headersOf: (bytes: string) => Record<string, string> | Promise<Record<string, string>>,
    to = ingest,
  ) => {
    const body = purchase();
    const bytes = JSON.stringify(body);
    const answer = await postTo(to.running.url + PAYMENT_PATH, bytes, { ...json, ...(await headersOf(bytes)) });
    await ingest.expectStored(answer, body, bytes, 'accepted');
  };

  it('accepts a signature that the library standardwebhooks has created', () =>
    expectAccepted((bytes) => {
      const timestamp = new Date();
      return {
        ...signedHeaders(bytes, [paymentsSecret]),
        'webhook-id': 'msg_1',
        'webhook-signature': new Webhook(paymentsSecret).sign('msg_1', timestamp, bytes),
      };
    }));

  it('accepts the previous secret while it is configured', () =>
    expectAccepted((bytes) => signedHeaders(bytes, [previousSecret])));

  it('accepts a list of signatures if one of them was created with a configured secret', () =>
    expectAccepted((bytes) => signedHeaders(bytes, [newWebhookSecret(), paymentsSecret])));

  it.each([-295, 295])(
    'accepts a webhook whose timestamp differs from the app’s clock by %i s [webhooks.tolerance]',
    (seconds) => expectAccepted((bytes) => signedHeaders(bytes, [paymentsSecret], { timestamp: at(seconds) })),
  );

  it('accepts a bearer service token that has another scope in addition to the required scope', () =>
    expectAccepted(async () => ({ authorization: `Bearer ${await issuer.token({ scope: 'webhook payments' })}` })));

  it('treats an identical request that is sent again as a duplicate', async () => {
    const body = purchase();
    const bytes = JSON.stringify(body);
    const headers = { ...json, ...signedHeaders(bytes, [paymentsSecret]) };
    await ingest.expectStored(await ingest.post(PAYMENT_PATH, bytes, headers), body, bytes, 'accepted');
    await ingest.expectStored(await ingest.post(PAYMENT_PATH, bytes, headers), body, bytes, 'accepted');
  });

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/cloudevents+json'])(
    'accepts the content type %s',
    (contentType) =>
      expectAccepted((bytes) => ({ ...signedHeaders(bytes, [paymentsSecret]), 'content-type': contentType })),
  );

  it('accepts a body without a content type', async () => {
    const body = purchase();
    const bytes = JSON.stringify(body);
    await ingest.expectStored(
      await ingest.post(PAYMENT_PATH, bytes, signedHeaders(bytes, [paymentsSecret])),
      body,
      bytes,
      'accepted',
    );
  });

  it('answers 415 to a compressed body, even if the compressed bytes are signed correctly', async () => {
    const bytes = gzipSync(JSON.stringify(purchase()));
    const headers = {
      ...signedHeaders(bytes, [paymentsSecret]),
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    };
    await ingest.expectRefused(() => ingest.post(PAYMENT_PATH, bytes, headers), 415);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/jsonp'])(
    'answers 415 to the content type %s',
    async (contentType) => {
      const bytes = JSON.stringify(purchase());
      const headers = { ...signedHeaders(bytes, [paymentsSecret]), 'content-type': contentType };
      await ingest.expectRefused(() => ingest.post(PAYMENT_PATH, bytes, headers), 415);
    },
  );

  it.each(['json', '', 'application/json, application/json'])(
    'checks the signature before the invalid content type "%s": answers 401 to a wrong signature, otherwise 415',
    async (contentType) => {
      const bytes = JSON.stringify(purchase());
      const wrong = {
        ...signedHeaders(bytes, [`whsec_${Buffer.alloc(32, 1).toString('base64')}`]),
        'content-type': contentType,
      };
      await ingest.expectRefused(() => ingest.post(PAYMENT_PATH, bytes, wrong), 401);
      const headers = { ...signedHeaders(bytes, [paymentsSecret]), 'content-type': contentType };
      await ingest.expectRefused(() => ingest.post(PAYMENT_PATH, bytes, headers), 415);
    },
  );

  it('answers 413 to a body of more than 256 KiB from an authenticated caller', async () => {
    const headers = { ...json, authorization: `Bearer ${await issuer.token()}` };
    await ingest.expectRefused(() => ingest.post(PAYMENT_PATH, Buffer.alloc(256 * 1024 + 1, ' '), headers), 413);
  });
});

describe('POST /idp/array/webhook with valid credentials', () => {
  const body = () => JSON.stringify(alertPush());
  const expectTaken = async (bytes: string, headers: Record<string, string>): Promise<void> =>
    expect(await ingest.post(ARRAY_PATH, bytes, { ...json, ...headers })).toMatchObject({
      status: 200,
      body: { received: true },
    });

  it.each([
    ['the current secret', arraySecret],
    ['the previous secret', previousArraySecret],
  ])('accepts a signature with %s [webhooks.array-authentication-of-callers]', async (_name, key) => {
    const bytes = body();
    await expectTaken(bytes, signedHeaders(bytes, [key]));
  });

  it('accepts a bearer service token with the scope webhook [webhooks.array-authentication-of-callers]', async () => {
    await expectTaken(body(), { authorization: `Bearer ${await issuer.token({ scope: 'webhook' })}` });
  });
});

describe('webhooks while the issuer of service tokens is down', () => {
  it('get 503 with Retry-After if they have a bearer token, and are accepted if they are signed', async () => {
    const away = await TokenIssuer.start();
    const env = { JWT_SERVICE_ISSUER: away.url, JWT_SERVICE_JWKS_URL: `${away.url}/jwks.json` };
    const authorization = `Bearer ${await away.token()}`;
    await away.stop();
    await ingest.withReplica(env, async (replica) => {
      const bytes = JSON.stringify(purchase());
      const headers = { ...json, authorization };
      const answer = await ingest.expectRefused(() => replica.post(PAYMENT_PATH, bytes, headers), 503);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect((await replica.send(purchase())).status).toBe(200);
    });
  });
});

describe('bearer tokens', () => {
  it('are refused when no issuer of service tokens is configured', () =>
    ingest.withReplica({}, async (replica) => {
      const headers = { ...json, authorization: `Bearer ${await issuer.token()}` };
      await expectUnauthorized(() => replica.post(PAYMENT_PATH, JSON.stringify(purchase()), headers));
    }));
});

describe('INGEST_ALLOWED_IPS', () => {
  it.each<[string, NodeJS.ProcessEnv, string | undefined, number]>([
    ['accepts the address of the socket', { INGEST_ALLOWED_IPS: '127.0.0.1' }, undefined, 200],
    ['accepts an address within a range', { INGEST_ALLOWED_IPS: '10.0.0.0/8, 127.0.0.0/8' }, undefined, 200],
    ['refuses an address outside of all ranges', { INGEST_ALLOWED_IPS: '10.0.0.0/8, ::1' }, undefined, 401],
    [
      'ignores an address forwarded by a caller that is not a trusted proxy',
      { INGEST_ALLOWED_IPS: '198.51.100.7' },
      '198.51.100.7',
      401,
    ],
    [
      'accepts an address forwarded by a trusted proxy',
      { INGEST_ALLOWED_IPS: '198.51.100.7', INGEST_TRUSTED_PROXIES: '127.0.0.1' },
      '198.51.100.7',
      200,
    ],
    [
      'ignores addresses in X-Forwarded-For before the address that the proxy added',
      { INGEST_ALLOWED_IPS: '198.51.100.7', INGEST_TRUSTED_PROXIES: '127.0.0.1' },
      '198.51.100.7, 203.0.113.9',
      401,
    ],
  ])('%s [webhooks.addresses]', (_name, env, forwardedFor, status) =>
    ingest.withReplica(env, async (replica) => {
      const bytes = JSON.stringify(purchase());
      const forwarded: Record<string, string> = forwardedFor ? { 'x-forwarded-for': forwardedFor } : {};
      const answer = await replica.post(PAYMENT_PATH, bytes, {
        ...json,
        ...signedHeaders(bytes, [paymentsSecret]),
        ...forwarded,
      });
      expect(answer.status).toBe(status);
    }),
  );
});
