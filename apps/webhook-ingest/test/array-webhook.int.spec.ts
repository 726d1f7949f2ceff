import { randomUUID } from 'node:crypto';
import { alertPush, APP_KEY, authentication, monitoring, unknownWebhook } from './identity-vendor';
import { ARRAY_PATH, IngestApp } from './ingest-app';

let ingest: IngestApp;

beforeAll(async () => {
  ingest = await IngestApp.start();
});
afterAll(() => ingest.stop());

const send = (body: object | string | Buffer) => ingest.send(body, ARRAY_PATH);
const ACCEPTED = { status: 200, body: { received: true } };
const RECEIVED_AT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /idp/array/webhook', () => {
  it('stores a pushed alert with exactly its bytes, and publishes it with the bureau in lower case [webhooks.array-alert]', async () => {
    const body = alertPush({ alertId: 12 });
    const { clientKey } = body.details;
    const bytes = JSON.stringify(body, null, 1);
    expect(await send(bytes)).toMatchObject(ACCEPTED);
    expect(await ingest.storedOf(clientKey)).toEqual([
      expect.objectContaining({
        integration: 'array',
        type: 'alerts/push/push',
        path: ARRAY_PATH,
        body: bytes,
        occurred_at: null,
        subscription_id: null,
        is_ignored: false,
        webhook_id: expect.stringMatching(/^msg_/),
      }),
    ]);
    expect(await ingest.identityEvents(clientKey)).toEqual([
      {
        arrayUserId: clientKey,
        type: 'alert_pushed',
        receivedAt: RECEIVED_AT,
        alert: { alertId: 12, bureau: 'exp', class: 'CREDIT_MONITORING', subType: 'NEW' },
      },
    ]);
  });

  it.each([undefined, null, ''])(
    'publishes no subType for an alert whose alertSubType is %j [webhooks.array-alert]',
    async (alertSubType) => {
      const body = alertPush({ alertSubType });
      expect(await send(body)).toMatchObject(ACCEPTED);
      const [event] = await ingest.identityEvents(body.details.clientKey);
      expect(event?.alert).toEqual({ alertId: 4711, bureau: 'exp', class: 'CREDIT_MONITORING' });
    },
  );

  it('accepts an alertId that is a numeric string, and the name of an unknown bureau', async () => {
    const body = alertPush({ alertId: '815', bureau: 'Unheard-Of' });
    expect(await send(body)).toMatchObject(ACCEPTED);
    const [event] = await ingest.identityEvents(body.details.clientKey);
    expect(event?.alert).toMatchObject({ alertId: 815, bureau: 'unheard-of' });
  });

  it.each([
    ['post', 'enrollment_started'],
    ['delete', 'enrollment_cancelled'],
  ])('publishes a monitoring webhook with the method %s as %s [webhooks.array-monitoring]', async (method, type) => {
    const clientKey = randomUUID();
    expect(await send(monitoring(method, clientKey))).toMatchObject(ACCEPTED);
    expect(await ingest.identityEvents(clientKey)).toEqual([
      { arrayUserId: clientKey, type, receivedAt: RECEIVED_AT, productCode: 'CREDIT_SCORE' },
    ]);
  });

  it.each([
    ['200', 'identity_verified'],
    ['401', 'identity_refused'],
    [200, 'identity_verified'],
    [401, 'identity_refused'],
  ])(
    'publishes an authentication webhook with the event %j as %s [webhooks.array-authentication]',
    async (event, type) => {
      const clientKey = randomUUID();
      expect(await send(authentication(event, clientKey))).toMatchObject(ACCEPTED);
      expect(await ingest.identityEvents(clientKey)).toEqual([
        { arrayUserId: clientKey, type, receivedAt: RECEIVED_AT },
      ]);
    },
  );

  it.each<[string, (clientKey: string) => object]>([
    ['an unknown service', (clientKey) => unknownWebhook({ clientKey })],
    ['an alerts webhook with an unknown event', (clientKey) => alertPush({ clientKey }, { event: 'closed' })],
    ['a monitoring webhook with an unknown method', (clientKey) => monitoring('patch', clientKey, undefined)],
    ['an authentication webhook with an unknown event', (clientKey) => authentication('500', clientKey)],
    [
      'a service with the name of an inherited property',
      (clientKey) => unknownWebhook({ clientKey }, { service: 'constructor' }),
    ],
  ])('stores %s, answers 200 and publishes nothing [webhooks.array-unknown]', async (_name, body) => {
    const clientKey = randomUUID();
    expect(await send(body(clientKey))).toMatchObject(ACCEPTED);
    expect(await ingest.storedOf(clientKey)).toEqual([expect.objectContaining({ is_ignored: true })]);
    expect(await ingest.identityEvents(clientKey)).toEqual([]);
  });

  it('publishes a webhook about a user whom the platform does not know [webhooks.array-unknown-user]', async () => {
    const body = alertPush({ clientKey: 'nobody' });
    expect(await send(body)).toMatchObject(ACCEPTED);
    expect(await ingest.identityEvents('nobody')).toHaveLength(1);
  });

  it('stores no SSN and no name from a body in clear text', async () => {
    const clientKey = randomUUID();
    await send(unknownWebhook({ clientKey, ssn: '123-45-6789', name: 'needle in haystack' }));
    for (const table of ['ingest.inbound_webhook', 'public.outbox_copy']) {
      const rows = await ingest.database.query(`select 1 from ${table} t where t::text ~ 'needle|123-45-6789'`);
      expect(rows).toEqual([]);
    }
  });
});

describe('POST /idp/array/webhook with an invalid body', () => {
  const alert = alertPush();
  const without = (name: string): object => ({ ...alert, [name]: undefined });
  const details = (change: object): object => alertPush(change);

  it.each<[string, string | Buffer | object, RegExp]>([
    ['an empty body', '', /^body: /],
    ['broken JSON', '{"service":', /^body: must be JSON/],
    ['an array', JSON.stringify([alert]), /^body: must be a JSON object/],
    ['broken UTF-8', Buffer.from([0x7b, 0xc3, 0x28, 0x7d]), /^body: must be UTF-8/],
    ['100,000 nested arrays', '['.repeat(100_000) + ']'.repeat(100_000), /^body: must not be nested/],
    ...['service', 'event', 'method', 'details'].map((name): [string, object, RegExp] => [
      `a body without ${name}`,
      without(name),
      new RegExp(`^${name}: `),
    ]),
    ...['appKey', 'clientKey', 'bureau', 'alertType', 'alertId'].map((name): [string, object, RegExp] => [
      `a body without details.${name}`,
      details({ [name]: undefined }),
      new RegExp(`^details\\.${name}: `),
    ]),
    ['an alertId that is not a number', details({ alertId: 'abc' }), /^details\.alertId: /],
    ['a fraction as alertId', details({ alertId: 1.5 }), /^details\.alertId: /],
    ['an alertId of 0', details({ alertId: 0 }), /^details\.alertId: /],
    ['an alertId that is too large for a number', '{"service":"alerts","event":"push","method":"push","details":{"appKey":"app-key","clientKey":"c","bureau":"exp","alertType":"t","alertId":9007199254740993}}', /^details\.alertId: /], // prettier-ignore
    [
      'an alertId as a string that is too large for a number',
      details({ alertId: '9007199254740993' }),
      /^details\.alertId: /,
    ],
    ['a clientKey that contains NUL', details({ clientKey: 'a\0b' }), /^details\.clientKey: /],
    ['a monitoring webhook without productCode', monitoring('delete', 'u', null), /^details\.productCode: /],
    ['an event that is an object', { ...alert, event: {} }, /^event: /],
  ])('answers 400 to %s [webhooks.array-body]', async (_name, body, error) => {
    await ingest.expectRefused(() => send(body), 400, error);
  });

  it('answers 413 to more than 256 KiB, and accepts exactly 256 KiB [webhooks.size]', async () => {
    const filled = (length: number): string => {
      const body = alertPush({}, { filler: '' });
      return JSON.stringify({ ...body, filler: 'x'.repeat(length - JSON.stringify(body).length) });
    };
    await ingest.expectRefused(() => send(filled(256 * 1024 + 1)), 413);
    expect(await send(filled(256 * 1024))).toMatchObject(ACCEPTED);
  });

  it.each<[string, object]>([
    ['a pushed alert', details({ appKey: 'foreign-key' })],
    [
      'a monitoring webhook',
      { ...monitoring('delete', 'u'), details: { ...monitoring('delete', 'u').details, appKey: 'foreign-key' } },
    ],
    ['a webhook of an unknown type', unknownWebhook({ clientKey: 'u', appKey: 'foreign-key' })],
    ['the platform’s key in another case', details({ appKey: APP_KEY.toUpperCase() })],
  ])(
    'answers 400 without repeating the key when the appKey is not the key of the platform: %s [webhooks.array-app-key]',
    async (_name, body) => {
      const answer = await ingest.expectRefused(() => send(body), 400, /^details\.appKey: /);
      expect(JSON.stringify(answer.body)).not.toMatch(/foreign-key|APP-KEY/);
    },
  );

  it('answers 400 without repeating the sent values', async () => {
    const answer = await ingest.expectRefused(() => send(alertPush({ bureau: ['needle'], alertId: 'needle' })), 400);
    expect(JSON.stringify(answer.body)).not.toContain('needle');
  });

  it.each(['constructor', 'toString', '__proto__'])(
    'still publishes a valid body that contains the unknown key %s',
    async (name) => {
      const body = alertPush();
      const bytes = JSON.stringify(body).replaceAll('{', () => `{"${name}":{"${name}":1},`);
      expect(await send(bytes)).toMatchObject(ACCEPTED);
      expect(await ingest.identityEvents(body.details.clientKey)).toHaveLength(1);
    },
  );
});
