import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { RunningApp } from '@tandem/service-defaults';
import { Discovery, endpointOf, locationOf } from './discovery';

const PROTOCOLS = ['lightway', 'openvpn', 'wireguard', 'proxy'] as const;
const VARY = 'Authorization, Accept-Encoding';

/** A location with enough endpoints for its answer to be compressed. */
const LOCATION = locationOf('us-nyc', {
  endpoints: Array.from({ length: 12 }, (_, index) =>
    endpointOf(`nyc-${index}.vpn.example.com`, { type: PROTOCOLS[index % 4] }),
  ),
});
const MANY = Array.from({ length: 12 }, (_, index) => locationOf(`xx-${index}`, { popularity_order: index + 2 }));

let discovery: Discovery;
let replica: RunningApp;

beforeAll(async () => {
  discovery = await Discovery.start();
  await discovery.serve(LOCATION, ...MANY);
  replica = await discovery.startReplica();
});
afterAll(async () => {
  await replica.close();
  await discovery.stop();
});

describe.each([
  ['', 600],
  ['/us-nyc/instances', 60],
])('GET /ids2/locations%s', (path, maxAge) => {
  const tagOf = async (query = '', url?: string): Promise<string> =>
    String((await discovery.ask(path + query, { url })).headers['etag']);

  it(`may be cached for ${maxAge} s, in private caches only [discovery.cache-control, discovery.vary]`, async () => {
    expect((await discovery.ask(path)).headers).toMatchObject({
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'cache-control': `private, max-age=${maxAge}`,
      vary: VARY,
    });
  });

  it('has the same ETag on every replica, and for any order of the protocols in the query [discovery.etag]', async () => {
    expect(await tagOf('', replica.url)).toBe(await tagOf());
    const tag = await tagOf('?protocols=proxy,lightway');
    expect(await tagOf('?protocols=lightway,proxy')).toBe(tag);
    expect(await tagOf('?protocols=lightway,proxy', replica.url)).toBe(tag);
  });

  it('returns the same bytes and the same ETag when a protocol is repeated [discovery.protocols, discovery.etag]', async () => {
    const once = await discovery.ask(`${path}?protocols=lightway`);
    const twice = await discovery.ask(`${path}?protocols=lightway,lightway`);
    expect([twice.status, twice.bytes.equals(once.bytes)]).toEqual([200, true]);
    expect(twice.headers['etag']).toBe(once.headers['etag']);
    expect(await tagOf('?protocols=proxy,lightway,proxy')).toBe(await tagOf('?protocols=lightway,proxy'));
  });

  it('answers 304 without a body when If-None-Match contains the current ETag or is * [discovery.not-modified]', async () => {
    const tag = await tagOf();
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, `"a,b",W/${tag} , "c"`, '*', ' * ']) {
      const { status, bytes, headers } = await discovery.ask(path, { headers: { 'if-none-match': header } });
      expect([header, status, bytes.length]).toEqual([header, 304, 0]);
      expect(headers).toMatchObject({ etag: tag, 'cache-control': `private, max-age=${maxAge}`, vary: VARY });
    }
    const headers = { 'if-none-match': ['"other"', tag] };
    expect((await discovery.ask(path, { headers })).status).toBe(304);
  });

  it('answers 200 with the body when If-None-Match does not contain the current ETag [discovery.not-modified]', async () => {
    const bare = (await tagOf()).slice(1, -1);
    for (const header of ['"other"', bare, `"${bare}`, '', '"*"', 'W/*']) {
      const { status, bytes } = await discovery.ask(path, { headers: { 'if-none-match': header } });
      expect([header, status, bytes.length > 0]).toEqual([header, 200, true]);
    }
  });

  it('answers 401 to an unauthenticated caller, even when the caller sends the current ETag [discovery.auth]', async () => {
    const headers = { 'if-none-match': await tagOf() };
    expect((await discovery.ask(path, { token: null, headers })).status).toBe(401);
  });

  it('answers HEAD with the status and headers of GET, without a body [discovery.head]', async () => {
    const [get, head] = [await discovery.ask(path), await discovery.ask(path, { method: 'HEAD' })];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of ['etag', 'cache-control', 'vary', 'content-type', 'content-length']) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
    expect(Number(head.headers['content-length'])).toBe(get.bytes.length);
    const headers = { 'if-none-match': String(get.headers['etag']) };
    expect((await discovery.ask(path, { method: 'HEAD', headers })).status).toBe(304);
    expect((await discovery.ask(`${path}?protocols=x`, { method: 'HEAD' })).status).toBe(400);
    expect((await discovery.ask(path, { method: 'HEAD', token: null })).status).toBe(401);
  });

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])(
    'sends %s, with a separate ETag, to a client that accepts this coding, and answers 304 to this ETag [discovery.coding]',
    async (coding, decode) => {
      const plain = await discovery.ask(path);
      const packed = await discovery.ask(path, { headers: { 'accept-encoding': `${coding};q=0.5, x-other` } });
      expect(packed.headers).toMatchObject({
        'content-encoding': coding,
        'content-length': String(packed.bytes.length),
        'content-type': 'application/json; charset=utf-8',
        vary: VARY,
      });
      expect(decode(packed.bytes).equals(plain.bytes)).toBe(true);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
      const tag = String(packed.headers['etag']);
      expect(tag).not.toBe(plain.headers['etag']);
      for (const accepted of [coding, 'identity']) {
        const headers = { 'if-none-match': tag, 'accept-encoding': accepted };
        const unchanged = await discovery.ask(path, { headers });
        expect([unchanged.status, unchanged.headers['etag']]).toEqual([304, tag]);
        expect(unchanged.headers).not.toHaveProperty('content-encoding');
      }
    },
  );
});

it('the ETag of a list changes with the list’s content, and has its first value again when the content is restored [discovery.etag]', async () => {
  const tags = async (): Promise<unknown[]> =>
    Promise.all(
      ['', '/us-nyc/instances', '/xx-3/instances'].map(async (path) => (await discovery.ask(path)).headers['etag']),
    );
  const [list, changed, other] = await tags();
  const endpoints = [...LOCATION.endpoints].reverse();
  await discovery.serve({ ...LOCATION, endpoints }, ...MANY);
  expect(await tags()).toEqual([list, expect.not.stringMatching(String(changed)), other]);
  await discovery.serve(LOCATION, ...MANY);
  expect(await tags()).toEqual([list, changed, other]);
});
