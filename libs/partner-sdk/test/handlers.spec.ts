import { fastify } from 'fastify';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  expressHandler,
  fastifyHandler,
  honoHandler,
  MemoryStore,
  nextHandler,
  type PostbackHandlerOptions,
} from '../src';
import { bodyOf, newSecret, signed, type SignedPostback } from './signed';

const SECRET = newSecret();

interface Endpoint {
  post(postback: SignedPostback): Promise<{ status: number; text: string; retryAfter: string | null }>;
  close(): Promise<void>;
}

async function posted(url: string, { headers, body }: SignedPostback) {
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') };
}

async function listening(server: Server): Promise<Endpoint> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tandem`;
  return {
    post: (postback) => posted(url, postback),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const START_ENDPOINT: Record<string, (options: PostbackHandlerOptions) => Promise<Endpoint>> = {
  expressHandler: (options) => listening(createServer(expressHandler(options))),
  'expressHandler behind express.raw()': (options) => {
    const handler = expressHandler(options);
    return listening(
      createServer(async (request, response) => {
        const chunks = await request.toArray();
        await handler(Object.assign(request, { body: Buffer.concat(chunks) }), response);
      }),
    );
  },
  async fastifyHandler(options) {
    const app = fastify();
    app.register(fastifyHandler({ url: '/tandem', ...options }));
    // The handler's own body parser must not affect the app's other routes.
    app.post('/other', async ({ body }) => body);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const other = await posted(`${url}/other`, { headers: { 'content-type': 'application/json' }, body: '{"a": 1}' });
    expect(other.text).toBe('{"a":1}');
    return { post: (postback) => posted(`${url}/tandem`, postback), close: async () => void (await app.close()) };
  },
  async nextHandler(options) {
    const handler = nextHandler(options);
    const post = async ({ headers, body }: SignedPostback) => {
      const answer = await handler(new Request('http://shop/tandem', { method: 'POST', headers, body }));
      return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') };
    };
    return { post, close: async () => undefined };
  },
};

describe.each(Object.entries(START_ENDPOINT))('%s', (_name, start) => {
  const booked: string[] = [];
  const closed: string[] = [];
  const errors: unknown[] = [];
  let fails = 0;
  let endpoint: Endpoint;
  let onSale: PostbackHandlerOptions['onSale'];

  beforeAll(async () => {
    endpoint = await start({
      secrets: [SECRET],
      authorization: 'Bearer my-own-key',
      store: new MemoryStore(),
      onSale: (sale, context) => onSale(sale, context),
      onSaleClosed: ({ oid, status }) => void closed.push(`${oid} ${status}`),
      onError: (error) => errors.push(error),
    });
  });
  afterAll(() => endpoint.close());
  beforeEach(() => {
    booked.length = closed.length = errors.length = fails = 0;
    onSale = ({ oid }, { isSample }) => {
      if (fails-- > 0) throw new Error('the database is down');
      booked.push(isSample ? `sample ${oid}` : oid);
    };
  });

  const genuine = (oid = 'sub_1', body = bodyOf(oid)): SignedPostback => {
    const { headers } = signed({ secrets: [SECRET], body });
    return { headers: { ...headers, authorization: 'Bearer my-own-key' }, body };
  };

  it('books a sale once when its postback arrives twice', async () => {
    const postback = genuine();
    expect(await endpoint.post(postback)).toMatchObject({ status: 200, text: 'handled' });
    expect(await endpoint.post(postback)).toMatchObject({ status: 200, text: 'handled before' });
    expect(booked).toEqual(['sub_1']);
  });

  it('refuses a forged postback, and reports why', async () => {
    const { headers } = genuine();
    expect(await endpoint.post({ headers, body: bodyOf('sub_2') })).toMatchObject({
      status: 401,
      text: 'signature_mismatch',
    });
    expect(await endpoint.post({ ...genuine(), headers: { ...genuine().headers, authorization: 'Bearer x' } })).toEqual(
      { status: 401, text: 'authorization_mismatch', retryAfter: null },
    );
    expect([booked, errors.map(String)]).toEqual([[], [expect.stringContaining('signature'), expect.any(String)]]);
  });

  it('answers 500 when a booking fails, and books the sale at the next attempt', async () => {
    const postback = genuine();
    fails = 1;
    expect(await endpoint.post(postback)).toMatchObject({ status: 500, text: 'failed' });
    expect(await endpoint.post(postback)).toMatchObject({ status: 200, text: 'handled' });
    expect([booked, errors.map(String)]).toEqual([['sub_1'], ['Error: the database is down']]);
  });

  it('answers 409 to a repeated postback while the first request is booking the sale', async () => {
    const postback = genuine();
    let finish = (): void => undefined;
    const started = new Promise<void>((begun) => {
      onSale = () =>
        new Promise((_resolve, reject) => {
          begun();
          finish = () => reject(new Error('rolled back'));
        });
    });
    const first = endpoint.post(postback);
    await started;
    onSale = () => undefined;
    expect(await endpoint.post(postback)).toEqual({ status: 409, text: 'being handled', retryAfter: '5' });
    finish();
    expect((await first).status).toBe(500);
  });

  it('handles the notice of a closure once, and books no sale for the notice', async () => {
    const body = JSON.stringify({ event: 'sale.closed', oid: 'sub_1', sharedId: '', status: 'refunded', at: '' });
    const notice = genuine(undefined, body);
    expect(await endpoint.post(notice)).toMatchObject({ status: 200, text: 'handled' });
    expect(await endpoint.post(notice)).toMatchObject({ status: 200, text: 'handled before' });
    expect([booked, closed]).toEqual([[], ['sub_1 refunded']]);
  });

  it('ignores an event that it does not know', async () => {
    const other = genuine(undefined, JSON.stringify({ event: 'sale.disputed', oid: 'sub_1', items: [] }));
    expect(await endpoint.post(other)).toMatchObject({ status: 200, text: 'ignored' });
    expect([booked, closed, errors]).toEqual([[], [], []]);
  });

  it('passes isSample: true to onSale for a sample', async () => {
    await endpoint.post(genuine('test_1'));
    expect(booked).toEqual(['sample test_1']);
  });

  it('does not accept a body of more than 1 MiB', async () => {
    const { headers } = genuine();
    expect(
      (await endpoint.post({ headers, body: 'x'.repeat(1024 * 1024 + 1) }).catch(() => undefined))?.status,
    ).not.toBe(200);
    expect(booked).toEqual([]);
  });
});

describe('expressHandler', () => {
  it('explains that it needs the raw body when express.json() has parsed it', async () => {
    const errors: unknown[] = [];
    const handler = expressHandler({
      secrets: SECRET,
      store: new MemoryStore(),
      onSale: () => undefined,
      onError: (error) => errors.push(error),
    });
    const { headers, body } = signed({ secrets: [SECRET] });
    const response = { statusCode: 0, setHeader: () => undefined, end: () => undefined };
    await handler({ headers, body: JSON.parse(body) }, response);
    expect([response.statusCode, String(errors[0])]).toEqual([500, expect.stringContaining('before express.json()')]);
    await handler({ headers, body: JSON.parse(body), rawBody: Buffer.from(body) }, response);
    expect(response.statusCode).toBe(200);
  });
});

describe('the handler of a Request', () => {
  /** Posts the same postback `times` times to one handler, and returns the statuses. */
  const handle = async (options: Partial<PostbackHandlerOptions>, times = 1, message: Partial<SignedPostback> = {}) => {
    const postback = { ...signed({ secrets: [SECRET], ...message }), method: 'POST' };
    const headers = { ...postback.headers, ...message.headers };
    const handler = honoHandler({ secrets: SECRET, store: new MemoryStore(), onSale: () => undefined, ...options });
    const statuses: number[] = [];
    for (let time = 0; time < times; time++)
      statuses.push((await handler(new Request('http://shop/', { ...postback, headers }))).status);
    return statuses;
  };
  const claims = { claim: async () => true, done: async () => undefined, release: async () => undefined };
  const failing = (): never => {
    throw new Error('down');
  };

  it('answers 500 when the store cannot claim, and books nothing', async () => {
    let booked = 0;
    expect(await handle({ store: { ...claims, claim: failing }, onSale: () => void booked++ })).toEqual([500]);
    expect(booked).toBe(0);
  });

  it('confirms a postback only after the transaction that stores the id of the postback is committed', async () => {
    const ids = new Set<string>();
    let fails = 2;
    const onSale: PostbackHandlerOptions['onSale'] = (_sale, { id }) => {
      if (fails-- > 0) throw new Error('rolled back');
      ids.add(id);
    };
    const store = { isHandled: async (id: string) => ids.has(id) };
    expect(await handle({ store, onSale }, 4)).toEqual([500, 500, 200, 200]);
    expect([ids.size, fails]).toEqual([1, -1]);
  });

  it.each<[string, () => Promise<void>]>([
    ['throws', failing],
    ['rejects', () => Promise.reject(new Error('down'))],
  ])('answers 200 when the sale is booked and done() %s', async (_name, done) => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    expect(await handle({ store: { ...claims, done }, onError })).toEqual([200]);
    expect(errors.map(String)).toEqual(['Error: down']);
  });

  it.each<[string, () => void | Promise<void>]>([
    ['throws', failing],
    ['rejects', () => Promise.reject(new Error('the reporter is down'))],
  ])('does not change its answer when onError %s', async (_name, onError) => {
    const released: string[] = [];
    const release = async (id: string): Promise<void> => void released.push(id);
    expect(await handle({ store: { ...claims, release }, onSale: failing, onError })).toEqual([500]);
    expect(released.length).toBe(1);
    expect(await handle({ store: { ...claims, done: failing }, onError })).toEqual([200]);
    expect(await handle({ secrets: newSecret(), onError })).toEqual([401]);
  });

  it('ignores notices if there is no onSaleClosed, and claims nothing for them', async () => {
    const body = JSON.stringify({ event: 'sale.closed', oid: 'sub_1', sharedId: '', status: 'refunded', at: '' });
    expect(await handle({ store: { ...claims, claim: failing } }, 1, { body })).toEqual([200]);
  });

  it('reports which sales belong to the test environment', async () => {
    const seen: boolean[] = [];
    const onSale: PostbackHandlerOptions['onSale'] = (_sale, { isTest }) => void seen.push(isTest);
    await handle({ onSale });
    await handle({ onSale }, 1, { headers: { 'x-environment': 'test' } });
    expect(seen).toEqual([false, true]);
  });
});

describe.each<[string, (options: PostbackHandlerOptions) => unknown]>([
  ['fetchHandler', honoHandler],
  ['expressHandler', expressHandler],
  ['fastifyHandler', (options) => fastifyHandler({ url: '/tandem', ...options })],
])('%s is not created', (_name, create) => {
  const options = { secrets: SECRET, store: new MemoryStore(), onSale: () => undefined };

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', []])('with the secrets %j', (secrets) => {
    expect(() => create(options)).not.toThrow();
    expect(() => create({ ...options, secrets })).toThrow(TypeError);
  });

  it.each([[[SECRET, '']], [[undefined]], [undefined], [null], [[]]])(
    'with the secrets %j, and the error asks whether their variable is set',
    (secrets) => {
      expect(() => create({ ...options, secrets: secrets as string[] })).toThrow('is its variable set?');
    },
  );

  it.each([
    ['', 'authorization is empty: is its variable set?'],
    ['my-own-key', 'authorization must be the whole header, such as Bearer <key>'],
  ])('with the authorization %j', (authorization, message) => {
    expect(() => create({ ...options, authorization })).toThrow(message);
  });

  it('with a store that has only claim()', () => {
    const store = { claim: async () => true } as unknown as MemoryStore;
    expect(() => create({ ...options, store })).toThrow('isHandled()');
  });
});

describe('MemoryStore', () => {
  afterEach(() => jest.restoreAllMocks());

  it('forgets the oldest id when it has more ids than its capacity', async () => {
    const store = new MemoryStore(2);
    for (const id of ['a', 'b', 'c']) {
      expect(await store.claim(id)).toBe(true);
      await store.done(id);
    }
    expect([await store.claim('c'), await store.claim('b'), await store.claim('a')]).toEqual([false, false, true]);
  });

  it('lets another request take over a claim that is 60 s old, and remembers that this request has booked the sale', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const store = new MemoryStore();
    expect([await store.claim('a'), await store.claim('a')]).toEqual([true, 'busy']);
    clock.mockReturnValue(1_059_999);
    expect(await store.claim('a')).toBe('busy');
    clock.mockReturnValue(1_060_000);
    expect(await store.claim('a')).toBe(true);
    await store.done('a');
    await store.release('a');
    expect(await store.claim('a')).toBe(false);
  });

  it('keeps the claim of another request when the request whose claim has expired fails', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const store = new MemoryStore();
    expect(await store.claim('a')).toBe(true);
    clock.mockReturnValue(1_060_000);
    expect(await store.claim('a')).toBe(true);
    await store.release('a');
    expect(await store.claim('a')).toBe('busy');
    await store.release('a');
    expect(await store.claim('a')).toBe(true);
  });

  it('keeps an id for at most 60 s after its last claim, even if an earlier request still hangs', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const store = new MemoryStore();
    expect(await store.claim('a')).toBe(true);
    clock.mockReturnValue(1_060_000);
    expect(await store.claim('a')).toBe(true);
    await store.release('a');
    clock.mockReturnValue(1_120_000);
    expect(await store.claim('a')).toBe(true);
  });

  it.each([-600_000, 600_000])(
    'measures the age of a claim correctly when the host’s clock is changed by %i ms',
    async (step) => {
      const store = new MemoryStore();
      expect(await store.claim('a')).toBe(true);
      jest.spyOn(Date, 'now').mockReturnValue(Date.now() + step);
      const elapsed = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 59_000);
      expect(await store.claim('a')).toBe('busy');
      elapsed.mockReturnValue(performance.now() + 1_000);
      expect(await store.claim('a')).toBe(true);
    },
  );
});
