import { APPS } from '../../apps/apps.js';
import { welcomeLines } from './welcome.mjs';

const ALL = APPS.map(({ name }) => name);
const token = (name) => ({ token: `token-of-${name}` });
const STACK = {
  baseUrl: 'http://edge',
  apps: Object.fromEntries(ALL.map((name) => [name, { url: `http://${name}` }])),
  partners: { promotion: token('promotion'), voucher: token('voucher'), manager: token('manager') },
  users: { a: { krn: 'krn:a' }, b: { krn: 'krn:b' } },
  sandbox: { url: 'http://sandbox', store: 'http://sandbox/store', inbox: 'http://sandbox/inbox' },
};

const without = (...names) =>
  welcomeLines(
    STACK,
    ALL.filter((name) => !names.includes(name)),
    1_000,
  ).join('\n');
/** Returns the paths of the commands in a text. */
const curls = (text) => [...text.matchAll(/curl .*'http:\/\/edge(\/[^?']*)/g)].map(([, path]) => path);

describe('the welcome text of npm start', () => {
  it('has one command for the API of each kind of caller', () => {
    const text = without();
    expect(curls(text)).toEqual([
      '/api/v2/partner/subscription/create-checkout-url',
      '/idp/array/users/me/dashboard',
      '/ids2/locations',
    ]);
    expect(text).toContain('open it, buy, and watch the inbox');
    expect(text).toContain('npm run demo');
  });

  it('has no command for an app that was left out', () => {
    expect(curls(without('partner-gateway'))).toEqual(['/idp/array/users/me/dashboard', '/ids2/locations']);
    expect(curls(without('idp-api'))).toEqual(['/api/v2/partner/subscription/create-checkout-url', '/ids2/locations']);
    expect(curls(without('webhook-ingest'))).not.toContain('/idp/array/users/me/dashboard');
    expect(curls(without('discovery'))).not.toContain('/ids2/locations');
    expect(curls(without(...ALL))).toEqual([]);
    expect(without()).toMatch(/identity user +krn:b/);
    for (const name of ['idp-api', 'webhook-ingest']) expect(without(name)).not.toContain('identity user');
  });

  it('suggests neither a purchase nor the demo when an app that they need was left out', () => {
    for (const name of ['webhook-ingest', 'postback-dispatcher']) {
      expect(without(name)).toContain('ask for a checkout URL.');
      expect(without(name)).not.toMatch(/buy, and watch|npm run demo/);
    }
  });
});
