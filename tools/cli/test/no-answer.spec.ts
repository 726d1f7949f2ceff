import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { JsonServer } from '@tandem/testing';
import { type Outcome, runCli } from './cli';

const KRN = 'krn:tandem:dev:user:alice';
const GATEWAY = 'http://127.0.0.1:4101';
const CAUSE = 'docs/on-call.md, section 9, says how to find the cause.';

/** A stack that never answers a request completely, and the `stack.json` that describes it. */
describe('a command whose app does not answer', () => {
  let stack: Server;
  let url: string;
  let folder: string;
  /** By path: how long the command waited for the answer until it closed the connection, s. */
  const waits = new Map<string, number>();
  beforeAll(async () => {
    stack = createServer(({ url: path = '' }, response) => {
      const from = performance.now();
      response.once('close', () => waits.set(path, (performance.now() - from) / 1_000));
      // The answer with the list begins, but does not end.
      if (path === '/admin/partners')
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[');
    });
    await once(stack.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(stack.address() as AddressInfo).port}`;
    folder = mkdtempSync(path.join(os.tmpdir(), 'tandem-cli-'));
    const apps = { 'partner-gateway': { url: GATEWAY } };
    const partners = { manager: { token: 'manager' } };
    writeFileSync(path.join(folder, 'stack.json'), JSON.stringify({ baseUrl: url, apps, partners }));
  });
  afterAll(() => {
    stack.closeAllConnections();
    stack.close();
    rmSync(folder, { recursive: true });
  });

  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
    runCli(args, { TANDEM_DIR: folder, ...env });

  it('ends within seconds, and names the address, the app, the time limit and the next command', async () => {
    const elsewhere = { TANDEM_DIR: os.tmpdir(), TANDEM_BASE_URL: url, TANDEM_SUPPORT_TOKEN: 'support' };
    const [ofSale, ofUser, list] = await Promise.all([
      run(['partner', 'why', 'order-1']),
      run(['user', 'why', KRN], elsewhere),
      run(['partner', 'list']),
    ]);
    const checkHere = `Check whether partner-gateway runs: curl -i --max-time 5 ${GATEWAY}/readyz`;
    const lines = (first: string, check: string): string => `GET ${url}${first}\n${check}\n${CAUSE}\n`;
    expect(ofSale).toMatchObject({
      code: 1,
      out: '',
      err: lines(
        '/admin/sales/order-1/story: no complete answer within 8 s (partner-gateway answers this path)',
        checkHere,
      ),
    });
    expect(ofUser).toMatchObject({
      code: 1,
      err: lines(
        `/idp/support/users/${encodeURIComponent(KRN)}/story: no complete answer within 8 s (idp-support answers this path)`,
        'Check whether idp-support runs: see docs/operations/app-down.md',
      ),
    });
    expect(list).toMatchObject({
      code: 1,
      err: lines('/admin/partners: no complete answer within 18 s (partner-gateway answers this path)', checkHere),
    });
    expect(waits.get('/admin/sales/order-1/story')).toBeLessThan(12);
    expect(waits.get(`/idp/support/users/${encodeURIComponent(KRN)}/story`)).toBeLessThan(12);
    expect(waits.get('/admin/partners')).toBeLessThan(22);
  }, 60_000);

  it('names the address, the app and the next command when the connection breaks in the middle of an answer', async () => {
    const broken = await JsonServer.start();
    broken.breakOff();
    const { code, err } = await run(['partner', 'list', '--base-url', broken.url, '--token', 'manager']);
    await broken.stop();
    expect(code).toBe(1);
    expect(err).toMatch(
      /^GET .*\/admin\/partners: .* \(partner-gateway answers this path\)\nCheck whether partner-gateway/,
    );
  });

  it('says how to check the app that answers 503, and the apps that it calls', async () => {
    const failing = await JsonServer.start();
    failing.answer(503, { error: 'Users cannot be reached now; try again.' });
    const { code, err } = await run(['user', 'why', KRN, '--base-url', failing.url, '--token', 'support']);
    await failing.stop();
    expect([code, err]).toEqual([
      1,
      '503: Users cannot be reached now; try again.\n' +
        'Check whether idp-support runs: see docs/operations/app-down.md\n' +
        'Check whether idp-api runs: see docs/operations/app-down.md\n' +
        `${CAUSE}\n`,
    ]);
  });

  it('ends when Postgres accepts connections but does not answer', async () => {
    const silent = net.createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { code, err } = await run(['dead-letters', 'list', '--url', `postgres://postgres@127.0.0.1:${port}/tandem`]);
    silent.close();
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`Postgres at 127.0.0.1:${port} accepts no connection: timeout`),
    ]);
  }, 40_000);

  it('names the command that checks the app when nothing listens at the address', async () => {
    const gone = await JsonServer.start();
    await gone.stop();
    const { code, err } = await run(['partner', 'list', '--base-url', gone.url, '--token', 'manager']);
    expect([code, err]).toEqual([
      1,
      `GET ${gone.url}/admin/partners: ECONNREFUSED (partner-gateway answers this path)\n` +
        'Check whether partner-gateway runs: see docs/operations/app-down.md\n' +
        `${CAUSE}\n`,
    ]);
  });
});
