import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { verifyPostback } from '@tandem/partner';
import { requestJson } from '../stack/http.mjs';
import { inRoot } from '../stack/paths.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const BIN = inRoot('libs/partner-sdk/bin/tandem-partner.mjs');
const CLI = inRoot('tools/cli/dist/main.js');

describe('a shop without a public address', () => {
  let running;
  let partner;
  beforeAll(async () => {
    running = await startTestStack();
    partner = await createPartner();
  });
  afterAll(() => running?.stop());

  const manage = async (method, at, body) => {
    const { baseUrl, partners } = running.stack;
    const answer = await requestJson(method, `${baseUrl}/admin${at}`, { token: partners.manager.token, body });
    expect([at, answer.status]).toEqual([at, expect.any(Number)]);
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };

  /** Creates a partner that has no endpoint. */
  async function createPartner() {
    const { id } = await manage('POST', '/partners', { name: 'A shop', kind: 'promotion' });
    await manage('POST', `/partners/${id}/promotions`, { code: `SHOP-${randomUUID()}`, percentOff: 10 });
    const { id: tokenId, token } = await manage('POST', `/partners/${id}/tokens`, { environment: 'test' });
    return { id, tokenId, token };
  }

  const checkoutUrl = async () => {
    const url = `${running.stack.baseUrl}/api/v2/partner/subscription/create-checkout-url`;
    return (await requestJson('GET', url, { token: partner.token })).body.checkoutUrl;
  };
  const buy = async (url) => {
    const body = { checkoutUrl: url, email: `${randomUUID()}@example.com` };
    return (await requestJson('POST', `${running.stack.sandbox.store}/buy`, { body })).body.subscriptionId;
  };

  /** Kills a process of the stack, and runs `meanwhile` while the stack restarts it. */
  const kill = async (name, meanwhile) => {
    const { pid } = JSON.parse(fs.readFileSync(path.join(running.home, 'pids.json'), 'utf8')).processes[name];
    process.kill(pid, 'SIGKILL');
    return meanwhile();
  };

  it('gets each signed postback exactly once while partner-gateway and postback-dispatcher are killed [listen.forward]', async () => {
    const environment = { TANDEM_BASE_URL: running.stack.baseUrl, TANDEM_TOKEN: partner.token };
    const shop = await Shop.start();
    const other = await Shop.start();
    const listener = await Listener.start([BIN, 'listen', '--to', `${shop.port}/tandem`, '--json'], environment);
    const second = await Listener.start([CLI, 'listen', '--to', String(other.port)], environment);
    try {
      const secret = /whsec_\S+/.exec(second.output)[0];
      const urls = await Promise.all(Array.from({ length: 7 }, checkoutUrl));
      const oids = [await buy(urls[0]), await buy(urls[1])];
      await shop.until(oids);
      await kill('partner-gateway', async () => oids.push(await buy(urls[2]), await buy(urls[3])));
      await shop.until(oids);
      await kill('postback-dispatcher', async () => oids.push(await buy(urls[4])));
      await kill('partner-gateway', async () => oids.push(await buy(urls[5]), await buy(urls[6])));
      await shop.until(oids);
      await other.until(oids);
      for (const one of [shop, other]) {
        // Waits for another poll, so that the check finds a postback that arrives twice.
        await delay(2500);
        expect(one.oids.toSorted()).toEqual(oids.toSorted());
        for (const { headers, body } of one.received)
          expect(await verifyPostback(headers, body, secret)).toMatchObject({ kind: 'sale', isTest: true });
      }
      const events = listener.output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events.filter(({ event }) => event === 'forwarded').every(({ status }) => status === 200)).toBe(true);
      expect(await listener.end('SIGINT')).toBe(0);

      await manage('DELETE', `/tokens/${partner.tokenId}`);
      expect(await second.ended).toBe(1);
      expect(second.output).toMatch(/401|token/);
    } finally {
      await Promise.all([listener.end('SIGKILL'), second.end('SIGKILL'), shop.stop(), other.stop()]);
    }
  });

  it('gets an error for a wrong token (exit code 1 or 2), and exit code 2 for wrong usage', async () => {
    const { baseUrl, partners } = running.stack;
    const run = async (args, env) => {
      const one = Listener.spawn([BIN, ...args], env);
      return [await one.ended, one.output];
    };
    const env = { TANDEM_BASE_URL: baseUrl };
    expect(await run(['listen', '--to', '1'], { ...env, TANDEM_TOKEN: partners.promotion.token })).toEqual([
      2,
      expect.stringContaining('only test tokens'),
    ]);
    expect(await run(['listen', '--to', '1'], { ...env, TANDEM_TOKEN: partners.voucher.testToken })).toEqual([
      1,
      expect.any(String),
    ]);
    expect(await run(['listen', '--nonsense'], env)).toEqual([
      2,
      expect.stringContaining('npx @tandem/partner --help'),
    ]);
    expect(await run(['--help'], env)).toEqual([0, expect.stringContaining('--to')]);
  });
});

/** A local server that records the postbacks that it receives. */
class Shop {
  received = [];
  /** @type {any} */
  server;
  /** @type {number | undefined} */
  port;

  static async start() {
    const shop = new Shop();
    shop.server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      shop.received.push({ headers: request.headers, body });
      response.end();
    });
    await once(shop.server.listen(0, '127.0.0.1'), 'listening');
    shop.port = shop.server.address().port;
    return shop;
  }

  get oids() {
    return this.received.map(({ body }) => JSON.parse(body).oid);
  }

  /** Waits until the postbacks of all these sales have arrived. */
  async until(oids) {
    for (const deadline = Date.now() + 120_000; ; await delay(100)) {
      if (oids.every((oid) => this.oids.includes(oid))) return;
      if (Date.now() > deadline) throw new Error(`missing: ${oids.filter((oid) => !this.oids.includes(oid))}`);
    }
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** A running `listen` command. */
class Listener {
  output = '';
  /** @type {any} */
  child;
  /** @type {Promise<number> | undefined} its exit code */
  ended;

  static spawn(args, env) {
    const one = new Listener();
    one.child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
    for (const stream of [one.child.stdout, one.child.stderr]) stream.on('data', (text) => (one.output += text));
    one.ended = once(one.child, 'close').then(([code]) => code);
    return one;
  }

  /** Starts a command, and waits until the command listens. */
  static async start(args, env) {
    const one = Listener.spawn(args, env);
    while (!/Forwarding|listening/.test(one.output)) {
      if (one.child.exitCode !== null) throw new Error(`the command ended: ${one.output}`);
      await delay(50);
    }
    return one;
  }

  end(signal) {
    this.child.kill(signal);
    return this.ended;
  }
}
