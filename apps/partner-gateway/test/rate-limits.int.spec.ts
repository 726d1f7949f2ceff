import { bootstrap, type RunningApp } from '@tandem/service-defaults';
import { uniqueId } from '@tandem/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { app } from '../src/app';
import { type Answer, Gateway } from './gateway';

const CHECKOUT = '/api/v2/partner/subscription/create-checkout-url';
const REVOKE = '/api/v2/partner/subscription/revoke';
const POSTBACK = '/api/v2/partner/postback';

/** The default limits. They replace the high limits that `Gateway.start` sets for other tests. */
const DEFAULTS = {
  RATE_LIMIT_CHECKOUT_PER_MINUTE: '600',
  RATE_LIMIT_READ_PER_MINUTE: '120',
  RATE_LIMIT_WRITE_PER_MINUTE: '30',
  RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE: '10',
};

describe('rate limits', () => {
  let gateway: Gateway;
  let replica: RunningApp;
  const checkout = (token: string) => gateway.request('GET', CHECKOUT, { token });
  const revoke = (token: string) =>
    gateway.request('PUT', REVOKE, { token, body: { subscriptionId: uniqueId('none') } });

  beforeAll(async () => {
    gateway = await Gateway.start(DEFAULTS);
    replica = await bootstrap(app, gateway.env);
  });
  afterAll(async () => {
    await replica.close();
    await gateway.stop();
  });

  describe('two replicas', () => {
    /** Sends requests alternately to both replicas, 40 of them concurrently. Returns how many answers have each status. */
    async function flood(requests: number, method: string, path: string, token: string) {
      const statuses: Record<number, number> = {};
      const queue = Array.from({ length: requests }, (_, index) => [gateway.running, replica][index % 2]?.url);
      const sender = async () => {
        for (let url = queue.pop(); url; url = queue.pop()) {
          const response = await fetch(url + path, { method, headers: { authorization: `Bearer ${token}` } });
          await response.arrayBuffer();
          statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: 40 }, sender));
      return statuses;
    }

    it('together allow 600 checkout URLs per window, or up to 5 % fewer [limits.checkout, limits.shared]', async () => {
      const { token } = await gateway.createPartner();
      const { 200: served = 0, 429: refused = 0 } = await flood(900, 'GET', CHECKOUT, token);
      expect(served + refused).toBe(900);
      expect(served).toBeLessThanOrEqual(600);
      expect(served).toBeGreaterThanOrEqual(570);
    });

    it('together allow exactly 30 writes per window [limits.write, limits.shared]', async () => {
      const { token } = await gateway.createPartner();
      expect(await flood(100, 'PUT', `${REVOKE}?subscriptionId=none`, token)).toEqual({ 404: 30, 429: 70 });
    });

    it('refuse a request at one replica when the limit was used up at the other replica [limits.shared]', async () => {
      const { token } = await gateway.createPartner();
      for (let time = 0; time < 30; time++) expect((await revoke(token)).status).toBe(404);
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${replica.url}${REVOKE}?subscriptionId=a`, { method: 'PUT', headers })).status).toBe(429);
    });
  });

  it('count each token and each kind of request separately [limits.read]', async () => {
    const { token, testToken } = await gateway.createPartner();
    for (let time = 0; time < 30; time++) await revoke(token);
    expect((await revoke(token)).status).toBe(429);
    expect((await revoke(testToken)).headers.get('ratelimit')).toMatch(/^"write";r=29;/);
    const read = await gateway.request('GET', POSTBACK, { token });
    expect(read.headers.get('ratelimit')).toMatch(/^"read";r=119;/);
    expect((await checkout(token)).headers.get('ratelimit')).toMatch(/^"checkout";r=599;t=60$/);
  });

  it('refuse a request with 429 rate_limited and the time after which to retry [errors.rate-limited]', async () => {
    const { token } = await gateway.createPartner();
    for (let time = 0; time < 30; time++) await revoke(token);
    const answer = await revoke(token);
    expect(answer).toMatchObject({ status: 429, body: { status: 429, code: 'rate_limited', instance: REVOKE } });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
    const after = Number(answer.headers.get('retry-after'));
    expect(after).toBeGreaterThan(30);
    expect(after).toBeLessThanOrEqual(60);
    expect(answer.headers.get('ratelimit')).toBe(`"write";r=0;t=${after}`);
    expect(answer.headers.get('ratelimit-policy')).toBe('"write";q=30;w=60');
  });

  describe('the headers of an answer', () => {
    let token: string;
    beforeAll(async () => {
      token = (await gateway.createPartner()).token;
    });
    const big = JSON.stringify({ note: 'x'.repeat(70_000) });

    it.each<[number, string, string, () => Promise<Answer>]>([
      [200, 'a valid request', 'checkout', () => checkout(token)],
      [400, 'a malformed body', 'write', () => gateway.request('PUT', REVOKE, { token, body: '{"subscriptionId":' })],
      [
        403,
        'a token without the scope',
        'checkout',
        async () => {
          const { id } = await gateway.createPartner();
          return checkout(await gateway.issueToken(id, { scopes: ['postback:read'] }));
        },
      ],
      [
        403,
        'a partner of another integration kind',
        'checkout',
        async () => checkout((await gateway.createPartner({ kind: 'voucher' })).token),
      ],
      [404, 'an unknown subscription', 'write', () => revoke(token)],
      [
        409,
        'a partner without an active promotion',
        'checkout',
        async () => checkout((await gateway.createPartner({ percentOff: null })).token),
      ],
      [413, 'a body that is too large', 'write', () => gateway.request('PUT', REVOKE, { token, body: big })],
      [
        415,
        'a body of another content type',
        'write',
        () => gateway.request('PUT', REVOKE, { token, body: 'a=b', headers: { 'content-type': 'text/plain' } }),
      ],
      [422, 'an invalid field', 'checkout', () => gateway.request('GET', `${CHECKOUT}?ref_id=`, { token })],
    ])(
      'report the token’s remaining limit when the status is %i for %s [limits.headers]',
      async (status, _title, policy, send) => {
        const answer = await send();
        const limit = policy === 'checkout' ? 600 : 30;
        expect(answer.status).toBe(status);
        expect(answer.headers.get('ratelimit-policy')).toBe(`"${policy}";q=${limit};w=60`);
        const [, remaining] = /^"[a-z-]+";r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '') ?? [];
        expect(Number(remaining)).toBeLessThan(limit);
      },
    );

    it('are absent from answers with the status 401, because no token can be counted [limits.headers]', async () => {
      const answer = await gateway.request('GET', CHECKOUT);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('ratelimit')).toBeNull();
      expect(answer.headers.get('ratelimit-policy')).toBeNull();
    });
  });
});

describe('after the time that Retry-After requests,', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await Gateway.start({
      RATE_LIMIT_CHECKOUT_PER_MINUTE: '5',
      RATE_LIMIT_READ_PER_MINUTE: '1',
      RATE_LIMIT_WINDOW_SECONDS: '2',
    });
  });
  afterAll(() => gateway.stop());

  it('a token has its full limit again, because refused requests did not count [limits.refused-not-counted]', async () => {
    const { token } = await gateway.createPartner();
    const send = (requests: number) =>
      Promise.all(Array.from({ length: requests }, () => gateway.request('GET', CHECKOUT, { token })));
    const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();

    const answers = await send(25);
    expect(statuses(answers)).toEqual([...Array<number>(5).fill(200), ...Array<number>(20).fill(429)]);
    const after = answers.map(({ headers }) => Number(headers.get('retry-after')));
    expect(Math.max(...after)).toBeLessThanOrEqual(2);
    await sleep(Math.max(...after) * 1000);
    expect(statuses(await send(5))).toEqual([200, 200, 200, 200, 200]);
  });

  it('a repeated request is served [errors.rate-limited]', async () => {
    const { token } = await gateway.createPartner();
    for (let time = 0; time < 3; time++) {
      const read = () => gateway.request('GET', POSTBACK, { token });
      expect((await read()).status).not.toBe(429);
      const refused = await read();
      expect(refused.status).toBe(429);
      await sleep(Number(refused.headers.get('retry-after')) * 1000);
    }
  });
});
