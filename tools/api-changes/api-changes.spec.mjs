import { breakingChanges } from './breaking-changes.mjs';
import { apis, breaks, present, presentVersion, released, releasedApis } from './documents.mjs';
import { faultsOf, isHigher } from './verdict.mjs';

const SALES = '/api/v2/partner/sales';
const REVOKE = '/api/v2/partner/subscription/revoke';
const ACCOUNT = '/api/v2/partner/account';
const POSTBACK = '/api/v2/partner/postback';
const APPLICATIONS = '/api/v2/partner-applications';
const whole = present('partner-api').document;
/** The partner API reduced to a few operations, because each test compares a whole document. */
const document = {
  ...whole,
  paths: Object.fromEntries([SALES, REVOKE, ACCOUNT, POSTBACK, APPLICATIONS].map((path) => [path, whole.paths[path]])),
};
const schemaOf = (api, name) => api.components.schemas[name];

function withoutField(schema, field) {
  delete schema.properties[field];
  schema.required = schema.required?.filter((name) => name !== field);
}

/** Applies a change to the partner API, and returns the breaking changes that are found. */
function changesBy(change) {
  const changed = JSON.parse(JSON.stringify(document));
  change(changed);
  return breakingChanges(document, changed);
}

/** @type {Record<string, [change: (api: any) => unknown, sentence: string]>} */
const BREAKING = {
  'a removed path': [({ paths }) => delete paths[SALES], `GET ${SALES}: `],
  'a removed operation': [({ paths }) => delete paths[POSTBACK].get, `GET ${POSTBACK}: `],
  'a renamed operation': [({ paths }) => (paths[SALES].get.operationId = 'sales'), 'listSales'],
  'a removed field of an answer': [
    (api) => withoutField(schemaOf(api, 'PartnerSale'), 'oid'),
    '200, answer items[]: the field oid was removed',
  ],
  'a removed field of an answer, two levels deep': [
    (api) => withoutField(schemaOf(api, 'PostbackOfSale'), 'status'),
    'status',
  ],
  'a field of an answer that becomes optional': [(api) => schemaOf(api, 'PartnerSale').required.shift(), 'optional'],
  'a field of an answer that becomes nullable': [
    (api) => (schemaOf(api, 'PartnerSale').properties.oid.type = ['string', 'null']),
    'oid',
  ],
  'a different type': [(api) => (schemaOf(api, 'PartnerSale').properties.amount.type = 'number'), 'amount'],
  'a removed field of a request': [(api) => withoutField(schemaOf(api, 'RevokeSaleBody'), 'note'), 'note'],
  'a new required field of a request': [
    (api) => {
      schemaOf(api, 'RevokeSaleBody').properties.why = { type: 'string' };
      schemaOf(api, 'RevokeSaleBody').required = ['why'];
    },
    'why',
  ],
  'a removed enum value of a request': [
    (api) => schemaOf(api, 'RevokeSaleBody').properties.reason.enum.pop(),
    'reason',
  ],
  'a narrower bound': [(api) => (schemaOf(api, 'RevokeSaleBody').properties.note.maxLength = 1), 'note'],
  'a new bound': [(api) => (schemaOf(api, 'RevokeSaleBody').properties.subscriptionId.pattern = '^x'), 'pattern'],
  'a new required parameter': [
    ({ paths }) =>
      paths[SALES].get.parameters.push({ name: 'why', in: 'query', required: true, schema: { type: 'string' } }),
    'why',
  ],
  'a removed parameter': [({ paths }) => paths[SALES].get.parameters.shift(), 'status'],
  'a removed field of a postback': [
    (api) => withoutField(schemaOf(api, 'Postback'), 'currency'),
    'webhook POST postback: ',
  ],
  'a removed webhook': [({ webhooks }) => delete webhooks.postback, 'webhook POST postback: it was removed'],
  'a removed header of an answer': [
    ({ paths }) => delete paths[SALES].get.responses['200'].headers.RateLimit,
    'no longer has the header RateLimit',
  ],
  'an object of an answer that may now be a string in place of null': [
    (api) => (schemaOf(api, 'PartnerSale').properties.postback.oneOf[1] = { type: 'string' }),
    'answer items[].postback: ',
  ],
  'a different required scope': [
    ({ paths }) => (paths[SALES].get['x-required-scope'] = 'sales:all'),
    `GET ${SALES}: it requires x-required-scope sales:all`,
  ],
  'a required scope where none was required before': [
    ({ paths }) => (paths[ACCOUNT].get['x-required-scope'] = 'account:read'),
    'requires x-required-scope account:read',
  ],
  'a replaced way to authenticate': [
    ({ paths }) => (paths[SALES].get.security = [{ portalCode: [] }]),
    `GET ${SALES}: it no longer accepts partner`,
  ],
  'a required token where none was required before': [
    ({ paths }) => (paths[APPLICATIONS].post.security = [{ partner: [] }]),
    'requires partner',
  ],
  'a removed error': [
    ({ paths }) => delete paths[SALES].get.responses['403'],
    `GET ${SALES}: it no longer has the error 403 integration_kind_mismatch`,
  ],
};

/** @type {Record<string, (api: any) => unknown>} */
const ADDITIONS = {
  'a new operation': ({ paths }) => (paths[`${SALES}/new`] = { get: paths[SALES].get }),
  'a new field of an answer': (api) => {
    schemaOf(api, 'PartnerSale').properties.why = { type: 'string' };
    schemaOf(api, 'PartnerSale').required.push('why');
  },
  'a new optional field of a request': (api) =>
    (schemaOf(api, 'RevokeSaleBody').properties.why = { type: 'string', maxLength: 9 }),
  'a new optional parameter': ({ paths }) =>
    paths[SALES].get.parameters.push({ name: 'why', in: 'query', schema: { type: 'string' } }),
  'a new enum value of an answer': (api) => schemaOf(api, 'PartnerSale').properties.status.enum.push('lost'),
  'a wider bound': (api) => (schemaOf(api, 'RevokeSaleBody').properties.note.maxLength = 100_000),
  'a new error code': ({ components }) =>
    components.responses.unauthorized.content['application/problem+json'].schema.allOf[1].properties.code.enum.push(
      'token_expired',
    ),
  'a second way to authenticate': ({ paths }) => paths[SALES].get.security.push({ portalCode: [] }),
  'no scope': ({ paths }) => delete paths[SALES].get['x-required-scope'],
};

describe('a change of an API', () => {
  it.each(Object.entries(BREAKING))('is breaking: %s', (_name, [change, sentence]) => {
    expect(changesBy(change)).toContainEqual(expect.stringContaining(sentence));
  });

  it('is not breaking when it adds something, widens a bound or no longer requires a scope', () => {
    expect(changesBy((api) => Object.values(ADDITIONS).forEach((change) => change(api)))).toEqual([]);
  });
});

describe('the check of an API', () => {
  const change = 'GET /sales: gone';
  const decision = { api: 'partner-api', change, version: '0.2.0', reason: 'nobody calls it' };
  const faults = (changes, ...decisions) =>
    faultsOf({ api: 'partner-api', version: '0.1.3', changes, breaks: decisions });

  it('reports a breaking change unless its entry in breaks.json has a reason and a version that may break callers', () => {
    expect(faults([change])).toEqual([`${change} (breaks callers of 0.1.3)`]);
    expect(faults([change], decision)).toEqual([]);
    expect(faults([change], { ...decision, reason: '' })).toEqual([expect.stringContaining('reason')]);
    expect(faults([change], { ...decision, version: '0.1.4' })).toEqual([expect.stringContaining('may break 0.1.3')]);
    expect(faults([change], { ...decision, api: 'client-api' })).toHaveLength(1);
  });

  it('reports an entry of breaks.json whose change was not made, but ignores entries for released versions', () => {
    expect(faults([], decision)).toEqual([expect.stringContaining('the API does not have')]);
    expect(faults([], { ...decision, version: '0.1.2' })).toEqual([]);
    expect(faults([change], { ...decision, version: '0.1.2' })).toHaveLength(1);
  });
});

describe('docs/openapi/released', () => {
  it('has no release of an unknown API, and no release whose version is higher than that of its app', () => {
    expect(releasedApis()).toContain('partner-api');
    for (const api of releasedApis()) {
      expect(apis()).toContain(api);
      expect([api, isHigher(released(api).version, presentVersion(api))]).toEqual([api, false]);
    }
  });

  it('has a breaks.json that names only existing APIs', () => {
    expect(breaks().filter(({ api }) => !apis().includes(api))).toEqual([]);
  });
});
