import { MAX_ANSWER_BYTES, VendorClient } from '../src/array/vendor.client';
import { Breaker } from '../src/array/vendor-breaker';
import { VendorError, VendorTimeoutError } from '../src/array/vendor.errors';
import { VendorUsers } from '../src/array/vendor-users';
import { TimeBudget } from '../src/array/time-budget';
import { Idp } from './idp';
import type { TestVendorRoute, VendorAnswer } from './vendor';

const TIMEOUT_MS = 500;

describe('the client of the vendor', () => {
  let idp: Idp;
  let answers: VendorAnswer[] = [];
  const route = (method: string): TestVendorRoute => ({
    route: 'alerts',
    method,
    pattern: /^\/test$/,
    answer: () => answers.shift() ?? [200, { ok: true }],
  });
  beforeAll(async () => {
    const vendorRoutes = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(route);
    idp = await Idp.start({ vendorRoutes, env: { VENDOR_TIMEOUT_MS: String(TIMEOUT_MS) } });
  });
  afterAll(() => idp.stop());
  beforeEach(() => {
    answers = [];
    idp.vendor.calls.splice(0);
    idp.vendor.faults.clear();
    idp.vendor.hook = () => undefined;
  });

  const client = () => idp.running.nest.get(VendorClient);
  /** Breaks the connections of the next `times` calls before they are answered. */
  const cut = (times: number) => {
    let left = times;
    idp.vendor.hook = () => {
      if (left-- > 0) throw new Error('cut');
    };
  };

  it('returns null for 404, and undefined for an answer without a body', async () => {
    answers = [[404, { error: 'unknown' }], [204]];
    expect(await client().get('alerts', '/test')).toBeNull();
    expect(await client().send('alerts', 'DELETE', '/test')).toBeUndefined();
  });

  it('sends the app key in the query of a GET and in the body of a POST, and omits undefined values', async () => {
    await client().get('alerts', '/test', { count: 5, bureau: undefined });
    await client().send('alerts', 'POST', '/test', { a: 1 });
    expect(idp.vendor.calls.map(({ query, body }) => [query.toString(), body])).toEqual([
      ['appKey=vendor-app-key&count=5', undefined],
      ['', { appKey: 'vendor-app-key', a: 1 }],
    ]);
  });

  it.each(['GET', 'PUT', 'DELETE'] as const)('retries %s exactly once when the connection breaks', async (method) => {
    const call = () => (method === 'GET' ? client().get('alerts', '/test') : client().send('alerts', method, '/test'));
    cut(1);
    expect(await call()).toEqual({ ok: true });
    cut(2);
    await expect(call()).rejects.toThrow(VendorError);
    expect(idp.vendor.calls).toHaveLength(4);
  });

  it.each(['POST', 'PATCH'] as const)(
    'does not retry %s when the connection breaks, because the vendor may have carried it out',
    async (method) => {
      cut(1);
      await expect(client().send('alerts', method, '/test')).rejects.toThrow(VendorError);
      expect(idp.vendor.calls).toHaveLength(1);
    },
  );

  it('records in the time budget that a write was repeated after its connection broke', async () => {
    for (const [method, times] of [
      ['PUT', 1],
      ['DELETE', 1],
      ['POST', 0],
    ] as const) {
      const budget = new TimeBudget(TIMEOUT_MS);
      cut(times);
      await client().send('alerts', method, '/test', {}, budget);
      expect(budget.hasBrokenWrite).toBe(times > 0);
    }
  });

  it('does not count refused calls as failures of the route', async () => {
    answers = Array.from({ length: 12 }, () => [422, { error: 'no such date' }] as const);
    for (let call = 0; call < 12; call++) {
      await expect(client().get('alerts', '/test')).rejects.toThrow(VendorError);
    }
    expect(await client().get('alerts', '/test')).toEqual({ ok: true });
    expect(idp.vendor.calls).toHaveLength(13);
  });

  it('times out at the deadline of the whole call, which includes its retry', async () => {
    await expect(client().get('alerts', '/test', {}, { deadlineMs: 0 })).rejects.toThrow(VendorTimeoutError);
    expect(idp.vendor.calls).toHaveLength(0);
    idp.vendor.faults.set('alerts', { fault: 'hang' });
    await expect(client().get('alerts', '/test')).rejects.toThrow(VendorTimeoutError);
    cut(1);
    await expect(client().get('alerts', '/test')).rejects.toThrow(VendorTimeoutError);
  });

  it('does not count a timeout as a failure of the route if the call had too little time', async () => {
    idp.vendor.faults.set('alerts', { fault: 'hang' });
    for (let call = 0; call < 12; call++) {
      await expect(client().get('alerts', '/test', {}, { deadlineMs: TIMEOUT_MS / 10 })).rejects.toThrow(
        VendorTimeoutError,
      );
    }
    idp.vendor.faults.clear();
    expect(await client().get('alerts', '/test')).toEqual({ ok: true });
  });

  it('refuses an answer of more than 10 MB, and does not repeat the call', async () => {
    const text = 'x'.repeat(MAX_ANSWER_BYTES - 100);
    answers = [
      [200, { text }],
      [200, { text, more: text }],
    ];
    const sizeOf = async () => {
      const answer = await client().get<object>('alerts', '/test', {}, { deadlineMs: 20_000 });
      return JSON.stringify(answer).length;
    };
    expect(await sizeOf()).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    const refused = await sizeOf().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(VendorError);
    expect((refused as VendorError).message).toContain('UND_ERR_RES_EXCEEDED_MAX_SIZE');
    expect(idp.vendor.calls).toHaveLength(2);
    expect(await client().get('alerts', '/test')).toEqual({ ok: true });
  });

  it('names the invalid field of an answer that is not in the agreed shape', async () => {
    const users = idp.running.nest.get(VendorUsers);
    await client().send('users', 'PUT', '/user/v2/u1', {});
    answers = [];
    idp.vendor.users.get('u1')?.enrollments.set('X', undefined as never);
    await expect(users.findEnrollments('u1', new TimeBudget(500))).rejects.toThrow('enrollments.0.status');
  });

  it('measures calls by route and outcome', async () => {
    answers = [[500], [404]];
    await expect(client().get('alerts', '/test')).rejects.toThrow(VendorError);
    expect(await client().get('alerts', '/test')).toBeNull();
    expect(await client().get('alerts', '/test')).toEqual({ ok: true });
    idp.vendor.faults.set('alerts', { fault: 'hang' });
    await expect(client().get('alerts', '/test')).rejects.toThrow(VendorTimeoutError);
    const text = await (await fetch(`${idp.running.url}/metrics`)).text();
    for (const outcome of ['ok', 'error', 'timeout', 'not_found']) {
      expect(text).toContain(`vendor_request_duration_seconds_count{route="alerts",outcome="${outcome}"}`);
    }
  });
});

describe('the breaker of a route', () => {
  let now = 0;
  let breaker: Breaker;
  beforeEach(() => {
    now = 0;
    breaker = new Breaker(() => now);
  });
  const fail = (times: number) => {
    for (let index = 0; index < times; index++) breaker.admit()?.fail();
  };
  const admits = (): boolean => breaker.admit() !== null;

  it('opens after ten failures in a row, and refuses calls for a second', () => {
    fail(9);
    breaker.admit()?.succeed();
    fail(10);
    expect(admits()).toBe(false);
    now = 999;
    expect(admits()).toBe(false);
  });

  it('is half-open after a second: it lets one call through, and closes when the call succeeds', () => {
    fail(10);
    now = 1_000;
    const probe = breaker.admit();
    expect([probe === null, admits()]).toEqual([false, false]);
    probe?.succeed();
    expect([admits(), admits()]).toEqual([true, true]);
  });

  it('opens for twice as long, up to five seconds, when the call in the half-open state fails too', () => {
    fail(10);
    const pauses = [1_000, 2_000, 4_000, 5_000, 5_000];
    for (const pause of pauses) {
      now += pause - 1;
      expect(admits()).toBe(false);
      now += 1;
      breaker.admit()?.fail();
    }
  });

  it('lets another call through in the half-open state when the first one had too little time', () => {
    fail(10);
    now = 1_000;
    breaker.admit()?.abandon();
    const probe = breaker.admit();
    expect(probe).not.toBeNull();
    probe?.succeed();
    expect(admits()).toBe(true);
  });

  it('ignores the outcomes of calls that began before it opened', () => {
    const stragglers = Array.from({ length: 4 }, () => breaker.admit());
    fail(10);
    stragglers[0]?.fail();
    stragglers[1]?.succeed();
    expect(admits()).toBe(false);
    now = 1_000;
    const probe = breaker.admit();
    stragglers[2]?.fail();
    expect(admits()).toBe(false);
    probe?.succeed();
    stragglers[3]?.fail();
    expect(admits()).toBe(true);
  });
});
