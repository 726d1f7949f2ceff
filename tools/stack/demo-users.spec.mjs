import { once } from 'node:events';
import { createServer } from 'node:http';
import { seedUsers } from './demo-users.mjs';

/**
 * The state of a server that replaces the edge and the sandbox. The server accepts the profile at the third attempt, as if the purchase
 * arrived late.
 */
const world = { calls: [], profile: false, tries: 0, webhookStatus: 200 };

const answers = {
  'GET /idp/array/users/me': () =>
    world.profile ? [200, { arrayUserId: 'user-b' }] : [400, { BadRequest: { UserNotFound: {} } }],
  'POST /store/buy': () => [201, { subscriptionId: 'sub_1', webhook: { status: world.webhookStatus } }],
  'POST /idp/array/users': () => {
    if (++world.tries < 3) return [400, { BadRequest: { EntitlementsRequired: {} } }];
    world.profile = true;
    return [200, { userToken: 'x', expirationDate: 1 }];
  },
  'POST /vendor/users/user-b/sample-data': () => [200, {}],
};

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    const call = `${request.method} ${request.url}`;
    world.calls.push([call, body && JSON.parse(body)]);
    const [status, answer] = answers[call]();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const baseUrl = `http://127.0.0.1:${port}`;
  Object.assign(stack, { baseUrl, sandbox: { store: `${baseUrl}/store`, vendor: `${baseUrl}/vendor` } });
});
afterAll(() => server.close());

const stack = {
  baseUrl: '',
  users: { a: { krn: 'krn:tandem:dev:user:a' }, b: { krn: 'krn:tandem:dev:user:b', token2fa: 't' } },
  sandbox: { store: '', vendor: '' },
};
const called = (wanted) => world.calls.filter(([call]) => call === wanted);

describe('the users of a stack', () => {
  beforeEach(() => Object.assign(world, { calls: [], webhookStatus: 200 }));

  it('get no profile when the webhook of a purchase is refused, and the error has the reason', async () => {
    world.webhookStatus = 503;
    await expect(seedUsers(stack)).rejects.toThrow(/the webhook of the purchase was not accepted: 503/);
    expect(called('POST /idp/array/users').length).toBe(0);
  });

  it('are seeded with a plan for a and b, and a profile for b as soon as the purchase has arrived', async () => {
    await seedUsers(stack);
    const buyers = called('POST /store/buy').map(([, { krn, plan }]) => `${krn} ${plan}`);
    expect(buyers.sort()).toEqual(['krn:tandem:dev:user:a pro', 'krn:tandem:dev:user:b pro']);
    expect(called('POST /idp/array/users').length).toBe(3);
    expect(called('POST /idp/array/users')[0][1].version).toBe(1);
    expect(called('POST /vendor/users/user-b/sample-data').length).toBe(1);
  });

  it('are kept by a second start, which only requests the sample data again', async () => {
    expect(await seedUsers(stack)).toBe('kept');
    expect(world.calls.map(([call]) => call)).toEqual([
      'GET /idp/array/users/me',
      'POST /vendor/users/user-b/sample-data',
    ]);
  });
});
