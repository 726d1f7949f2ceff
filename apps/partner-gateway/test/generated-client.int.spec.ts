import { uniqueId } from '@tandem/testing';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'openapi-fetch';
import type { paths } from './client/partner-api';
import { allCodes, buyCoupons, clientFor } from './client/smoke';
import { Gateway, purchase, type TestPartner } from './gateway';

const ROOT = path.join(__dirname, '../../..');

interface Described {
  $ref?: string;
  headers: Record<string, object>;
  content?: Record<string, { schema: object; example?: unknown }>;
}
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Described> }>>;
  components: { responses: Record<string, Described> };
}

const DOCUMENT = JSON.parse(readFileSync(path.join(ROOT, 'docs/openapi/partner-api.json'), 'utf8')) as Document;
const ajv = addFormats(new Ajv({ strict: false }));
ajv.addSchema(DOCUMENT, 'document');

/** Returns the document’s example of an answer to an operation. */
const exampleOf = <T = object>(method: string, route: string, status = 200): T =>
  DOCUMENT.paths[`/api/v2/partner${route}`]?.[method]?.responses[status]?.content?.['application/json']?.example as T;

interface Coupons {
  items: { code: string; voucherGroupId: string }[];
}
const POSTBACK_EXAMPLE = exampleOf<{ url: string }>('get', '/postback');
const DELIVERY_PAGE_EXAMPLE = exampleOf('get', '/postback/deliveries');
const REPLAYED_EXAMPLE = exampleOf<{ id: string }>('post', '/postback/deliveries/{id}/replay', 202);
const TEST_RESULT_EXAMPLE = exampleOf('post', '/postback/test');
const VOUCHER_GROUPS_EXAMPLE = exampleOf<{ items: { id: string }[] }>('get', '/subscription/voucher-group');
const COUPON_PAGE_EXAMPLE = exampleOf<Coupons>('get', '/subscription/vouchers');
const CREATED_COUPONS_EXAMPLE = exampleOf<Coupons>('post', '/subscription/vouchers', 201);
const GROUP_ID = VOUCHER_GROUPS_EXAMPLE.items[0]?.id as string;

/** Returns a copy of a schema in which each reference, such as `#/components/schemas/Sale`, points to the OpenAPI document. */
const inDocument = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object;

/** Returns the differences between an answer and the document; an empty list when there are none. */
function undescribed(method: string, route: string, response: Response, body: unknown): string[] {
  const found = DOCUMENT.paths[route]?.[method.toLowerCase()]?.responses[response.status];
  if (!found) return [`${method} ${route} ${response.status} is not described`];
  const described = found.$ref
    ? (DOCUMENT.components.responses[found.$ref.split('/').at(-1) as string] as Described)
    : found;
  const type = response.headers.get('content-type')?.split(';', 1)[0] as string;
  const schema = described.content?.[type]?.schema;
  if (!schema) return [`${method} ${route} ${response.status} is not described as ${type}`];
  const validate = ajv.compile(inDocument(schema));
  const told = Object.keys(described.headers).map((name) => name.toLowerCase());
  const OWN = [
    'x-request-id',
    'ratelimit',
    'ratelimit-policy',
    'retry-after',
    'www-authenticate',
    'allow',
    'idempotency-replayed',
  ];
  return [
    ...(validate(body) ? [] : [ajv.errorsText(validate.errors)]),
    ...OWN.filter((name) => response.headers.has(name) && !told.includes(name)).map(
      (name) => `${name} is not described`,
    ),
  ];
}

describe('the client that is generated from the OpenAPI document', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let client: Client<paths>;
  let vouchers: Client<paths>;
  let findings: string[];
  let answers: number;

  /** Creates a client, and compares each answer that it receives with the document. */
  function observed(token: string): Client<paths> {
    const made = clientFor(gateway.running.url, token);
    made.use({
      async onResponse({ request, schemaPath, response }) {
        const body: unknown = await response.clone().json();
        answers += 1;
        findings.push(...undescribed(request.method, schemaPath, response, body));
      },
    });
    return made;
  }

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
    const other = await gateway.createPartner({ kind: 'voucher' });
    client = observed(partner.token);
    vouchers = observed(await gateway.issueToken(other.id, { scopes: ['vouchers:read', 'vouchers:create'] }));
  });
  beforeEach(() => {
    findings = [];
    answers = 0;
  });
  afterEach(() => {
    expect(findings).toEqual([]);
    expect(answers).toBeGreaterThan(0);
  });
  afterAll(() => gateway.stop());

  it('creates a checkout URL, and reads the error of an invalid request [interface.openapi-client]', async () => {
    const { data } = await client.GET('/api/v2/partner/subscription/create-checkout-url', {
      params: { query: { ref_id: 'order-1' } },
    });
    expect(data).toMatchObject({ refId: 'order-1', discount: { id: partner.promotionId, percentOff: 20 } });
    const { error } = await client.GET('/api/v2/partner/subscription/create-checkout-url', {
      params: { query: { ref_id: '' } },
    });
    expect(error).toMatchObject({ code: 'validation_failed', errors: [{ field: 'ref_id' }] });
  });

  it('revokes a sale, and reads the error for an unknown sale [interface.openapi-client]', async () => {
    const subscriptionId = uniqueId('sub');
    await gateway.receive(purchase(subscriptionId, { attribution: { promotionCode: partner.promotionCode } }));
    const { data } = await client.PUT('/api/v2/partner/subscription/revoke', {
      body: { subscriptionId, reason: 'returned' },
    });
    expect(data).toMatchObject({ subscriptionId, status: 'revoked', reason: 'returned' });
    const { error } = await client.PUT('/api/v2/partner/subscription/revoke', { body: { subscriptionId: 'none' } });
    expect(error?.code).toBe('subscription_not_found');
  });

  it('saves and reads the postback configuration [interface.openapi-client]', async () => {
    const body = { url: POSTBACK_EXAMPLE.url, authMethod: 'Bearer', key: 'a-key' } as const;
    gateway.dispatcher.answer(201, { ...POSTBACK_EXAMPLE, signingSecret: 'whsec_x' });
    const saved = await client.POST('/api/v2/partner/postback', { body });
    expect([saved.response.status, saved.data?.signingSecret]).toEqual([201, 'whsec_x']);
    gateway.dispatcher.answer(200, POSTBACK_EXAMPLE);
    expect((await client.GET('/api/v2/partner/postback')).data).toEqual(POSTBACK_EXAMPLE);
    gateway.dispatcher.answer(404, { code: 'postback_not_configured' });
    expect((await client.GET('/api/v2/partner/postback')).error?.code).toBe('postback_not_configured');
    gateway.dispatcher.answer(503, { code: 'service_unavailable' });
    const away = await client.GET('/api/v2/partner/postback');
    expect([away.error?.code, away.response.headers.get('retry-after')]).toEqual(['service_unavailable', '5']);
  });

  it('lists and replays deliveries, and sends a sample [interface.openapi-client]', async () => {
    gateway.dispatcher.answer(200, DELIVERY_PAGE_EXAMPLE);
    const { data } = await client.GET('/api/v2/partner/postback/deliveries', {
      params: { query: { status: 'delivered' } },
    });
    expect(data?.items[0]?.attempts[1]?.status).toBe(200);
    gateway.dispatcher.answer(202, REPLAYED_EXAMPLE);
    const { id } = REPLAYED_EXAMPLE;
    const replayed = await client.POST('/api/v2/partner/postback/deliveries/{id}/replay', { params: { path: { id } } });
    expect(replayed.data).toEqual({ id });
    gateway.dispatcher.answer(202, { count: 3 });
    const body = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', status: 'failed' } as const;
    expect((await client.POST('/api/v2/partner/postback/deliveries/replay', { body })).data).toEqual({ count: 3 });
    gateway.dispatcher.answer(200, TEST_RESULT_EXAMPLE);
    expect((await client.POST('/api/v2/partner/postback/test')).data).toEqual(TEST_RESULT_EXAMPLE);
  });

  it('lists voucher groups and coupons, and creates coupons [interface.openapi-client]', async () => {
    gateway.vouchers.answer(200, VOUCHER_GROUPS_EXAMPLE);
    const groups = await vouchers.GET('/api/v2/partner/subscription/voucher-group');
    expect(groups.data?.items[0]?.id).toBe(GROUP_ID);
    gateway.vouchers.answer(200, { ...COUPON_PAGE_EXAMPLE, nextCursor: null, hasMore: false });
    expect(await allCodes(vouchers, GROUP_ID)).toEqual(COUPON_PAGE_EXAMPLE.items.map(({ code }) => code));
    gateway.vouchers.answer(201, CREATED_COUPONS_EXAMPLE, { 'idempotency-replayed': 'true' });
    expect(await buyCoupons(vouchers, GROUP_ID, 1, 'key-1')).toEqual(CREATED_COUPONS_EXAMPLE.items);
    gateway.vouchers.answer(409, { code: 'creation_in_progress' });
    expect(await buyCoupons(vouchers, GROUP_ID, 1, 'key-2')).toBe('again');
    gateway.vouchers.answer(409, { code: 'insufficient_stock' });
    expect(await buyCoupons(vouchers, GROUP_ID, 1, 'key-3')).toBe('sold out');
    await expect(buyCoupons(vouchers, GROUP_ID, 0, 'key-4')).rejects.toThrow('422 validation_failed');
  });

  it('reads the errors for an invalid token, a missing scope and another kind of partner [interface.openapi-client]', async () => {
    const told = async (one: Client<paths>) => (await one.GET('/api/v2/partner/postback')).error?.code;
    const narrow = await gateway.issueToken(partner.id, { scopes: ['checkout:create'] });
    expect(await told(observed('nobody'))).toBe('unauthorized');
    expect(await told(vouchers)).toBe('integration_kind_mismatch');
    expect(await told(observed(narrow))).toBe('permission_denied');
  });

  it.each([
    ['{', 'application/json', 400, 'malformed_request'],
    [`{"note":"${'x'.repeat(70_000)}"}`, 'application/json', 413, 'payload_too_large'],
    ['a=b', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
  ])(
    'receives the documented error for an unreadable body (%#) [interface.openapi-client]',
    async (body, type, status, code) => {
      const { error, response } = await client.PUT('/api/v2/partner/subscription/revoke', {
        headers: { 'content-type': type },
        bodySerializer: () => body,
        body: {},
      });
      expect([response.status, error?.code]).toEqual([status, code]);
    },
  );
});

describe('code that uses the generated client', () => {
  it('compiles in strict TypeScript [interface.openapi-client]', async () => {
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const target = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom', '--types', 'node'];
    const files = [path.join(__dirname, 'client/smoke.ts')];
    await promisify(execFile)(process.execPath, [tsc, ...options, ...target, ...files], { cwd: ROOT });
  }, 180_000);
});
