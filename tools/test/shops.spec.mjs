import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requestJson } from '../stack/http.mjs';
import { inRoot } from '../stack/paths.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const KEY = 'my-own-key';
const MAX_LINES = 60;
/** The window of the rate limit. The window is short, because a test waits for its end. */
const WINDOW_SECONDS = 10;
const CHECKOUTS = 20;
const TSC = inRoot('node_modules/typescript/bin/tsc');

/** For each shop, a function that installs it in a folder and returns the command that runs it. */
const SHOPS = {
  'shop-typescript': (folder) => {
    fs.cpSync(inRoot('examples/shop-typescript'), folder, { recursive: true });
    const modules = path.join(folder, 'node_modules');
    fs.mkdirSync(path.join(modules, '@tandem'), { recursive: true });
    fs.symlinkSync(inRoot('libs/partner-sdk'), path.join(modules, '@tandem/partner'));
    fs.symlinkSync(inRoot('node_modules/@types'), path.join(modules, '@types'));
    execFileSync(process.execPath, [TSC, '-p', folder]);
    return [process.execPath, path.join(folder, 'dist/shop.js')];
  },
  'shop-python': (folder) => {
    execFileSync('python3', ['-m', 'venv', folder]);
    const python = path.join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    execFileSync(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', inRoot('sdks/python')]);
    return [python, inRoot('examples/shop-python/shop.py')];
  },
};
const hasPython =
  spawnSync('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))']).status === 0;
const installable = Object.entries(SHOPS).filter(([name]) => name !== 'shop-python' || hasPython);

describe('the shops of examples/', () => {
  let running;
  /** The partner token that the shops use. The test of each shop rotates it. */
  let token;
  beforeAll(async () => {
    const limits = { RATE_LIMIT_CHECKOUT_PER_MINUTE: CHECKOUTS, RATE_LIMIT_WINDOW_SECONDS: WINDOW_SECONDS };
    running = await startTestStack({
      env: Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, `${value}`])),
    });
    token = running.stack.partners.promotion.token;
  });
  afterAll(() => running?.stop());

  /** Sends a request as the partner manager. */
  const manage = async (method, at, body) => {
    const { baseUrl, partners } = running.stack;
    const answer = await requestJson(method, `${baseUrl}/admin${at}`, { token: partners.manager.token, body });
    expect([at, answer.status < 300]).toEqual([at, true]);
    return answer.body;
  };

  it.each(['shop-typescript/src/shop.ts', 'shop-python/shop.py'])(
    `%s has at most ${MAX_LINES} lines of code`,
    (file) => {
      const lines = fs.readFileSync(inRoot('examples', file), 'utf8').split('\n');
      const code = lines.filter((line) => line.trim() !== '' && !/^\s*(#|\/\/|\/\*\*|""")/.test(line));
      expect(code.length).toBeLessThanOrEqual(MAX_LINES);
    },
  );

  if (!hasPython) it.skip('shop-python sells (needs Python 3.9 or later)', () => undefined);

  it.each(installable)(
    '%s sells, books the sale once, revokes a sale and gives coupons, across a rate limit and a token rotation',
    async (_name, install) => {
      const { baseUrl, partners, sandbox } = running.stack;
      const platform = async (method, at, body) => {
        const answer = await requestJson(method, `${baseUrl}/api/v2/partner${at}`, { token, body });
        expect([at, answer.status]).toEqual([at, expect.any(Number)]);
        return answer.body;
      };
      const secret = (await platform('POST', '/postback/signing-secret')).signingSecret;
      const shop = await Shop.start(install, {
        TANDEM_BASE_URL: baseUrl,
        TANDEM_TOKEN: token,
        TANDEM_VOUCHER_TOKEN: partners.voucher.token,
        POSTBACK_AUTHORIZATION: `Bearer ${KEY}`,
        POSTBACK_SIGNING_SECRETS: secret,
      });
      try {
        await platform('POST', '/postback', { url: `${shop.url}/tandem`, authMethod: 'Bearer', key: KEY });
        expect(await platform('POST', '/postback/test')).toMatchObject({ delivered: true, status: 200 });

        const number = `order ${randomUUID()} / ü`;
        const { body: bought } = await shop.ask('POST', '/buy', number);
        expect(bought).toMatchObject({ refId: number, checkoutUrl: expect.stringMatching(/^http/) });
        expect((await shop.ask('GET', '/order', number)).status).toBe(404);
        const email = `${randomUUID()}@example.com`;
        const order = { body: { checkoutUrl: bought.checkoutUrl, email } };
        const { body: sold } = await requestJson('POST', `${sandbox.store}/buy`, order);
        const { oid } = await shop.untilSold(number);
        expect(oid).toBe(sold.subscriptionId);

        const body = JSON.stringify({
          oid: 'sub_forged',
          sharedId: number,
          emailMasked: '',
          currency: 'USD',
          items: [],
        });
        expect((await shop.post(body, 'whsec_' + Buffer.alloc(32).toString('base64'))).status).toBe(401);
        const id = randomUUID();
        const twice = body.replaceAll('sub_forged', 'sub_2').replace(number, 'order-2');
        expect((await shop.post(twice, secret, id)).text).toContain('handled');
        expect((await shop.post(twice.replace('order-2', 'order-3'), secret, id)).text).toContain('handled before');
        expect([(await shop.ask('GET', '/order', 'order-2')).body.oid, (await shop.untilSold(number)).oid]).toEqual([
          'sub_2',
          oid,
        ]);
        expect((await shop.ask('GET', '/order', 'order-3')).status).toBe(404);
        const another = twice.replace('sub_2', 'sub_3');
        for (const sale of [another, another.replace('order-2', ''), another.replaceAll('sub_3', 'sub_2')])
          expect((await shop.post(sale, secret)).text).toContain('handled');
        expect((await shop.ask('GET', '/order', 'order-2')).body.oid).toBe('sub_2');
        expect((await shop.ask('GET', '/order', '')).status).toBe(404);

        const notice = { event: 'sale.closed', oid: 'sub_2', sharedId: 'order-2', status: 'refunded' };
        const closure = JSON.stringify({ ...notice, at: '2026-03-08T09:30:00.000Z' });
        expect((await shop.post(closure, secret)).text).toContain('handled');
        expect((await shop.post(closure.replace('sub_2', 'sub_unknown'), secret)).status).toBe(200);
        expect((await shop.ask('GET', '/order', 'order-2')).body).toMatchObject({ oid: 'sub_2', closed: 'refunded' });
        expect((await shop.post('{"event":"sale.disputed","oid":"sub_4"}', secret)).status).toBe(200);

        // The old token stays valid for an hour after the rotation, and the shop still uses it to revoke a sale.
        const account = await platform('GET', '/account');
        const { items } = await manage('GET', `/partners/${account.id}/tokens`);
        const old = items.find(({ last4, replacedBy }) => token.endsWith(last4) && replacedBy === null);
        const successor = (await manage('POST', `/tokens/${old.id}/rotate`, { overlapSeconds: 3600 })).token;
        const returned = await shop.ask('POST', '/return', number);
        expect(returned.body).toMatchObject({ oid, returned: expect.stringMatching(/^20/) });
        expect(await platform('GET', `/sales/${oid}`)).toMatchObject({ status: 'revoked', reason: 'returned' });
        expect(await shop.ask('POST', '/return', 'order-2')).toMatchObject({
          status: 404,
          body: { code: 'subscription_not_found' },
        });

        // Another program of the same partner uses up the rate limit of checkout URLs. The shop must wait and retry.
        const direct = () =>
          fetch(`${baseUrl}/api/v2/partner/subscription/create-checkout-url`, {
            headers: { authorization: `Bearer ${token}` },
          });
        const used = await Promise.all(Array.from({ length: CHECKOUTS + 1 }, direct));
        expect(used.map(({ status }) => status)).toContain(429);
        const afterLimit = `order ${randomUUID()}`;
        expect(await shop.ask('POST', '/buy', afterLimit)).toMatchObject({ status: 200, body: { refId: afterLimit } });

        const gift = randomUUID();
        const codes = (await shop.ask('POST', '/gift', gift)).body;
        expect(codes).toEqual([expect.stringMatching(/^[A-Z0-9-]{19}$/), expect.stringMatching(/^[A-Z0-9-]{19}$/)]);
        expect((await shop.ask('POST', '/gift', gift)).body).toEqual(codes);

        await manage('DELETE', `/tokens/${old.id}`);
        expect(await shop.ask('POST', '/buy', gift)).toMatchObject({ status: 401 });
        token = successor;
        await shop.restart({ TANDEM_TOKEN: successor });
        expect(await shop.ask('POST', '/buy', gift)).toMatchObject({ status: 200, body: { refId: gift } });
      } finally {
        await shop.stop();
      }
    },
  );
});

describe('without the token of a voucher partner', () => {
  it.each(installable)('%s starts, and gives no coupons', async (_name, install) => {
    const shop = await Shop.start(install, {
      TANDEM_BASE_URL: 'http://127.0.0.1:1',
      TANDEM_TOKEN: 'token',
      POSTBACK_AUTHORIZATION: `Bearer ${KEY}`,
      POSTBACK_SIGNING_SECRETS: 'whsec_' + Buffer.alloc(32, 1).toString('base64'),
    });
    try {
      expect((await shop.ask('POST', '/gift', 'order-1')).status).toBe(404);
    } finally {
      await shop.stop();
    }
  });
});

describe('shop-typescript, with a platform that is slow to revoke', () => {
  it('keeps the refund that a notice reports while the shop revokes the sale', async () => {
    const secret = 'whsec_' + Buffer.alloc(32, 1).toString('base64');
    const sale = { oid: 'sub_1', sharedId: 'order-1', emailMasked: '', currency: 'USD', items: [] };
    const at = '2026-03-08T09:30:00.000Z';
    const notice = { event: 'sale.closed', oid: sale.oid, sharedId: sale.sharedId, status: 'refunded', at };
    let shop;
    const platform = createServer(async (_request, response) => {
      await shop.post(JSON.stringify(notice), secret);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ subscriptionId: sale.oid, revokedAt: at }));
    });
    await once(platform.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (platform.address());
    try {
      shop = await Shop.start(SHOPS['shop-typescript'], {
        TANDEM_BASE_URL: `http://127.0.0.1:${port}`,
        TANDEM_TOKEN: 'token',
        POSTBACK_AUTHORIZATION: `Bearer ${KEY}`,
        POSTBACK_SIGNING_SECRETS: secret,
      });
      expect((await shop.post(JSON.stringify(sale), secret)).text).toContain('handled');
      const returned = await shop.ask('POST', '/return', sale.sharedId);
      expect(returned.body).toMatchObject({ oid: sale.oid, returned: at, closed: 'refunded' });
    } finally {
      await shop?.stop();
      platform.closeAllConnections();
      platform.close();
    }
  });
});

/** A running shop. */
class Shop {
  folder = '';
  url = '';
  /** @type {any} */
  child;
  command = [];
  env = {};

  /** Installs and starts a shop, and waits until it listens. */
  static async start(install, env) {
    const shop = new Shop();
    shop.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'shop-'));
    shop.command = install(shop.folder);
    shop.env = env;
    await shop.run();
    return shop;
  }

  async run() {
    const [command, ...args] = this.command;
    const database = { PORT: '0', DATABASE_FILE: path.join(this.folder, 'shop.db'), PYTHONDONTWRITEBYTECODE: '1' };
    this.child = spawn(command, args, { env: { ...process.env, ...this.env, ...database } });
    let output = '';
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (text) => (output += text));
    while (!/listening on/.test(output)) {
      if (this.child.exitCode !== null) throw new Error(`the shop did not start: ${output}`);
      await delay(50);
    }
    this.url = /listening on (\S+)/.exec(output)[1];
  }

  /** Restarts the shop with changed settings. */
  async restart(env) {
    await this.end();
    this.env = { ...this.env, ...env };
    await this.run();
  }

  ask(method, at, order) {
    return requestJson(method, `${this.url}${at}?order=${encodeURIComponent(order)}`);
  }

  /** Waits until the shop has booked the sale of an order. */
  async untilSold(order) {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(100)) {
      const { status, body } = await this.ask('GET', '/order', order);
      if (status === 200) return body;
    }
    throw new Error('no postback was booked');
  }

  /** Sends a postback as the platform does. */
  async post(body, secret, id = randomUUID()) {
    const seconds = String(Math.floor(Date.now() / 1000));
    const mac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`${id}.${seconds}.${body}`);
    const signature = `v1,${mac.digest('base64')}`;
    const headers = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature };
    const authorization = `Bearer ${KEY}`;
    const answer = await fetch(`${this.url}/tandem`, { method: 'POST', headers: { authorization, ...headers }, body });
    return { status: answer.status, text: await answer.text() };
  }

  async end() {
    this.child.kill();
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }

  async stop() {
    await this.end();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
