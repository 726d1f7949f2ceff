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

const STARTS: Record<string, (options: PostbackHandlerOptions) => Promise<Endpoint>> = {
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

describe.each(Object.entries(STARTS))('%s', (_name, start) => {
  const booked: string[] = [];
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
      onError: (error) => errors.push(error),
    });
  });
  afterAll(() => endpoint.close());
  beforeEach(() => {
    booked.length = errors.length = fails = 0;
    onSale = ({ oid }, { isSample }) => {
      if (fails-- > 0) throw new Error('the database is down');
      booked.push(isSample ? `sample ${oid}` : oid);
    };
  });

  const genuine = (oid = 'sub_1'): SignedPostback => {
    const { headers, body } = signed({ secrets: [SECRET], body: bodyOf(oid) });
    return { headers: { ...headers, authorization: 'Bearer my-own-key' }, body };
  };

  it('books a sale once, however often it arrives', async () => {
    const postback = genuine();
    expect(await endpoint.post(postback)).toMatchObject({ status: 200, text: 'handled' });
    expect(await endpoint.post(postback)).toMatchObject({ status: 200, text: 'handled before' });
    expect(booked).toEqual(['sub_1']);
  });

  it('refuses a forged one, and reports why', async () => {
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

  it('answers 500 when booking fails, and books the next attempt', async () => {
    const postback = genuine();
    fails = 1;
    expect(await endpoint.post(postback)).toMatchObject({ status: 500, text: 'failed' });
    expect(await endpoint.post(postback)).toMatchObject({ status: 200, text: 'handled' });
    expect([booked, errors.map(String)]).toEqual([['sub_1'], ['Error: the database is down']]);
  });

  it('does not confirm a repeat while the first one is being booked', async () => {
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

  it('marks the sample of a test', async () => {
    await endpoint.post(genuine('test_1'));
    expect(booked).toEqual(['sample test_1']);
  });

  it('refuses a body that is longer than any postback', async () => {
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
  const handle = async (store: PostbackHandlerOptions['store'], onSale = (): void => undefined) => {
    const { headers, body } = signed({ secrets: [SECRET] });
    const request = new Request('http://shop/', { method: 'POST', headers, body });
    return (await honoHandler({ secrets: SECRET, store, onSale })(request)).status;
  };

  it('answers 500 when the store cannot claim, and books nothing', async () => {
    let booked = 0;
    const down = { claim: () => Promise.reject(new Error('down')) };
    expect([await handle(down, () => void booked++), booked]).toEqual([500, 0]);
  });

  it('answers 200 when the sale is booked and the store fails afterwards', async () => {
    const failing = { claim: async () => true, done: () => Promise.reject(new Error('down')) };
    expect(await handle(failing)).toBe(200);
  });

  it('needs only claim() of a store', async () => {
    expect([await handle({ claim: async () => true }), await handle({ claim: async () => false })]).toEqual([200, 200]);
  });
});

describe('MemoryStore', () => {
  it('forgets the oldest id beyond its capacity', async () => {
    const store = new MemoryStore(2);
    for (const id of ['a', 'b', 'c']) {
      expect(await store.claim(id)).toBe(true);
      await store.done(id);
    }
    expect([await store.claim('c'), await store.claim('b'), await store.claim('a')]).toEqual([false, false, true]);
  });
});
