import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { sendRequest, TestServiceKeys } from '@tandem/testing';
import { appOf, APPS, CALLERS, OPERATOR } from '../../../apps/apps';
import { RunningApps } from './apps';
import { StartedOutside } from './outside';

// The start of the platform takes long; all tests share it.
jest.setTimeout(120_000);

const NAMES = APPS.map(({ name }) => name);
const strangers = new TestServiceKeys(...NAMES, OPERATOR);
/**
 * Returns the path of a route with the same text for each parameter. Any value will do, because the guard runs before a
 * parameter is read.
 */
const pathOf = (route: string): string => (route.split(' ')[1] as string).replace(/:\w+/g, 'some');
const callersOf = (app: string) => appOf(app).callers ?? {};

describe('internal routes', () => {
  let outside: StartedOutside;
  let apps: RunningApps;
  beforeAll(async () => {
    outside = await StartedOutside.start();
    apps = await RunningApps.start(outside.environment);
  });
  afterAll(async () => {
    await apps?.stop();
    await outside?.stop();
  });

  /**
   * Returns the status with which a route answers a caller.
   * @param signer the app whose key signs the token; default: the caller
   */
  async function statusOf(app: string, route: string, from: string, signer = from, keys = apps.secrets.serviceKeys) {
    const privateKey = parseServicePrivateKey(keys.privateKeyOf(signer));
    const token = await issueServiceToken({ privateKey, from, audience: app, now: new Date() });
    const method = route.split(' ')[0] as string;
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    return (await sendRequest(method, apps.urlOf(app) + pathOf(route), { token, body })).status;
  }

  it.each(NAMES)('of %s are exactly the routes that apps/apps.js lists for its callers', (app) => {
    const inTable = new Set(Object.values(callersOf(app)).flat());
    expect(apps.internalRoutesOf(app).sort()).toEqual([...inTable].sort());
  });

  it.each(NAMES)(
    'of %s accept only the callers that apps/apps.js lists, out of all other apps and the operator',
    async (app) => {
      const callers = callersOf(app);
      for (const route of apps.internalRoutesOf(app))
        for (const caller of [...NAMES.filter((name) => name !== app), OPERATOR]) {
          const isCaller = CALLERS.includes(caller);
          const status = await statusOf(app, route, caller, caller, isCaller ? undefined : strangers);
          const seen = { route, caller, status };
          if (callers[caller]?.includes(route)) expect([401, 403]).not.toContain(seen.status);
          // An app knows only the keys of its own callers. On a route that is not listed for a caller, it answers 403
          // if it knows the caller's key, otherwise 401.
          else expect(seen).toEqual({ route, caller, status: caller in callers ? 403 : 401 });
        }
    },
  );

  it.each(NAMES)(
    'of %s refuse a token that names a caller and is signed with another caller’s key or an unknown key',
    async (app) => {
      for (const [caller, routes] of Object.entries(callersOf(app)))
        for (const route of routes) {
          for (const signer of CALLERS.filter((name) => name !== caller))
            expect({ route, signer, status: await statusOf(app, route, caller, signer) }).toMatchObject({
              status: 401,
            });
          expect({ route, status: await statusOf(app, route, caller, caller, strangers) }).toMatchObject({
            status: 401,
          });
        }
    },
  );
});
