import { uniqueId } from '@tandem/testing';
import type { CatalogLocation } from '../src/catalog/catalog.repository';
import { Discovery, endpointOf, locationOf } from './discovery';

const CHALLENGE = { 'www-authenticate': 'Bearer' };
const now = (): number => Math.floor(Date.now() / 1000);

const LIGHTWAY = endpointOf('nyc-1.vpn.example.com', {
  ip: { v4: '192.0.2.10', v6: '2001:db8::10' },
  mtu: 1350,
  auth_ip: '192.0.2.11',
  auth_port: 8443,
  obfuscation: 'xor',
});
const OPENVPN = endpointOf('nyc-2.vpn.example.com', { type: 'openvpn', port: 1194, transport: 'udp' });
const PROXY = endpointOf('nyc-3.vpn.example.com', { type: 'proxy', port: 8080, transport: 'tcp' });
const NEW_YORK = locationOf('us-nyc', { popularity_order: 2, endpoints: [OPENVPN, LIGHTWAY, PROXY] });
const LONDON = locationOf('uk-lon', { popularity_order: 1, is_geolocated: true, test_ips: ['2001:db8::1'] });
const EMPTY = locationOf('aq-pol', { popularity_order: 3, endpoints: [] });

const withoutEndpoints = ({ endpoints: _, ...location }: CatalogLocation): object => location;

let discovery: Discovery;

beforeAll(async () => {
  discovery = await Discovery.start();
  await discovery.serve(NEW_YORK, LONDON, EMPTY);
});
afterAll(() => discovery.stop());

const idsOf = async (path: string): Promise<string[]> =>
  (await discovery.ask(path)).body.locations.map(({ id }: { id: string }) => id);

describe('GET /ids2/locations', () => {
  it('returns all locations, the most popular first, with exactly the fields of the contract [discovery.locations, discovery.locations-order]', async () => {
    const { status, body, headers } = await discovery.ask();
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({ locations: [LONDON, NEW_YORK, EMPTY].map(withoutEndpoints) });
    expect(Object.keys(body.locations[0])).toEqual([
      ...['id', 'name', 'latitude', 'longitude', 'country_code', 'instance_count_min', 'instance_count_max'],
      ...['is_geolocated', 'popularity_order', 'test_ips'],
    ]);
  });

  it('returns only the locations with an endpoint of one of the requested protocols [discovery.protocols]', async () => {
    expect(await idsOf('?protocols=openvpn')).toEqual(['us-nyc']);
    expect(await idsOf('?protocols=lightway')).toEqual(['uk-lon', 'us-nyc']);
    expect(await idsOf('?protocols=proxy,lightway')).toEqual(['uk-lon', 'us-nyc']);
    expect(await idsOf('?protocols=wireguard')).toEqual([]);
    expect(await idsOf('?protocols=lightway%2Copenvpn,wireguard,proxy')).toEqual(['uk-lon', 'us-nyc']);
  });

  it('ignores an unknown parameter', async () => {
    expect(await idsOf('?unknown=1')).toEqual(['uk-lon', 'us-nyc', 'aq-pol']);
  });
});

describe('GET /ids2/locations/{location_id}/instances', () => {
  it('returns the endpoints in the order of preference, and omits fields without a value [discovery.instances, discovery.preference]', async () => {
    const { status, body } = await discovery.ask('/us-nyc/instances');
    expect([status, body]).toEqual([200, { location_id: 'us-nyc', endpoints: [OPENVPN, LIGHTWAY, PROXY] }]);
    expect(Object.keys(body.endpoints[1])).toEqual([
      ...['type', 'host', 'ip', 'port', 'transport', 'mtu', 'cert_dn', 'auth_ip', 'auth_port', 'obfuscation'],
    ]);
    expect(Object.keys(body.endpoints[0])).toEqual(['type', 'host', 'ip', 'port', 'transport', 'cert_dn']);
  });

  it('returns only the endpoints of the requested protocols, and an empty list if there are none [discovery.protocols]', async () => {
    const { body } = await discovery.ask('/us-nyc/instances?protocols=proxy,openvpn');
    expect(body.endpoints).toEqual([OPENVPN, PROXY]);
    expect((await discovery.ask('/us-nyc/instances?protocols=wireguard')).body.endpoints).toEqual([]);
    expect((await discovery.ask('/aq-pol/instances')).body.endpoints).toEqual([]);
  });

  it.each(['xx-none', 'US-NYC', 'us-nyc%20', '%2e%2e', "'; drop table location; --", 'x'.repeat(500)])(
    'answers 404 for an unknown location: %s [discovery.location-not-found]',
    async (id) => {
      const { status, body } = await discovery.ask(`/${encodeURIComponent(id)}/instances`);
      expect([status, body]).toEqual([404, { error: 'location not found' }]);
    },
  );

  it('answers 400 instead of 404 when the protocols are invalid and the location is unknown', async () => {
    expect((await discovery.ask('/xx-none/instances?protocols=x')).status).toBe(400);
  });

  it.each([
    ['application/json', '{"a":'],
    ['application/json', '{"protocols":["proxy"]}'],
    ['text/plain', 'hello'],
    ['application/json', 'x'.repeat(200_000)],
  ])('ignores a body of the type %s [discovery.body]', async (type, body) => {
    const answer = await discovery.ask('/us-nyc/instances', { body, headers: { 'content-type': type } });
    expect([answer.status, answer.body.endpoints.length]).toEqual([200, 3]);
  });
});

const PATHS = ['', '/us-nyc/instances'];

describe.each(PATHS)('/ids2/locations%s', (path) => {
  it.each([
    'protocols=',
    'protocols',
    'protocols=ikev2',
    'protocols=lightway,ikev2',
    'protocols=lightway,',
    'protocols=,',
    'protocols=Lightway',
    'protocols=%20lightway',
    'protocols=lightway&protocols=proxy',
  ])('answers 400 to ?%s [discovery.protocols-invalid]', async (query) => {
    const { status, body } = await discovery.ask(`${path}?${query}`);
    const error = 'protocols must be one comma-separated list of lightway, openvpn, wireguard, proxy';
    expect([status, body]).toEqual([400, { error }]);
  });

  it('accepts tokens of the service issuer and of the OpenID issuer, without a second factor [discovery.auth]', async () => {
    for (const family of ['service', 'openid'] as const) {
      expect((await discovery.ask(path, { token: await discovery.tokenOf({ family }) })).status).toBe(200);
    }
  });

  const refused = async (token: string | null): Promise<void> => {
    const { status, body, headers } = await discovery.ask(path, { token });
    expect([status, body]).toEqual([401, { error: 'unauthorized' }]);
    expect(headers).toMatchObject(CHALLENGE);
  };

  it('answers 401 to a request with no token, with an invalid token or with Basic credentials [discovery.auth]', async () => {
    await refused(null);
    await refused('not.a-token');
    const basic = await discovery.ask(path, { token: null, headers: { authorization: 'Basic dXNlcjpwYXNz' } });
    expect(basic.status).toBe(401);
  });

  it.each([
    ['that expired 61 s ago', { exp: now() - 61 }],
    ['that is not valid yet', { nbf: now() + 120 }],
    ['for another audience', { aud: 'other' }],
    ['of another issuer', { iss: 'https://issuer.test/other' }],
    ['that was not signed by the issuer that it names', { iss: 'https://issuer.test/openid' }],
    ['whose subject is not a user', { sub: 'partner-manager' }],
  ])('answers 401 to a token %s [discovery.auth]', async (_, claims) => refused(await discovery.tokenOf(claims)));

  it('refuses unauthenticated callers before it reads the query', async () => {
    expect((await discovery.ask(`${path}?protocols=x`, { token: null })).status).toBe(401);
  });

  it('accepts a token until 60 s after its expiry, and then refuses it [discovery.auth]', async () => {
    const token = await discovery.tokenOf({ exp: now() - 58, jti: uniqueId('jti') });
    expect((await discovery.ask(path, { token })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect((await discovery.ask(path, { token })).status).toBe(401);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)(
    'answers 405 to %s, with Allow: GET, HEAD [discovery.methods]',
    async (method) => {
      const { status, headers, body } = await discovery.ask(path, { method });
      expect([status, headers['allow'], Object.keys(body)]).toEqual([405, 'GET, HEAD', ['error']]);
    },
  );

  it('answers 405 to a POST, even if its body is malformed JSON [discovery.methods]', async () => {
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await discovery.ask(path, { method: 'POST', body: '{"a":', headers });
    expect([status, Object.keys(body)]).toEqual([405, ['error']]);
  });
});

it('an unknown path gets 404 with {"error"} [discovery.errors]', async () => {
  const { status, body } = await discovery.ask('/us-nyc');
  expect([status, Object.keys(body)]).toEqual([404, ['error']]);
});
