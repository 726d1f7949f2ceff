import { AuthenticationError, PermissionDeniedError, ValidationError, verifyPostback } from '../src';
import { type ListenValues, runListen } from '../src/listen';
import { secretOfListener } from '../src/listen/sign';
import { sinceOf, targetOf } from '../src/listen/target';
import { HASTE, LocalShop, Platform, TestServer, until } from './listening';
import { newSecret } from './signed';

const TOKEN = 'ptk_test_a-token-of-a-test';
const KEY = 'Bearer my-own-key';

describe('tandem-partner listen', () => {
  let platform: Platform;
  let shop: LocalShop;
  const running: Listening[] = [];

  /** A command that runs in this process. */
  interface Listening {
    readonly lines: string[];
    readonly ended: Promise<unknown>;
    stop(): Promise<void>;
  }

  const start = async (values: ListenValues = {}, env: Record<string, string> = {}): Promise<Listening> => {
    const controller = new AbortController();
    const lines: string[] = [];
    const all = { token: TOKEN, 'base-url': platform.url, to: `${shop.url}/tandem`, ...values };
    const context = { env, print: (line: string) => void lines.push(line), signal: controller.signal, pace: HASTE };
    const ended = runListen(all, context).then(
      () => undefined,
      (error: unknown) => error,
    );
    const stop = async () => {
      controller.abort();
      await ended;
    };
    const one = { lines, ended, stop };
    running.push(one);
    return one;
  };
  /** Starts a command, and waits until it listens. */
  const listening = async (values: ListenValues = {}, env: Record<string, string> = {}): Promise<Listening> => {
    const one = await start(values, env);
    await until(() => expect(one.lines.length).toBeGreaterThan(0));
    return one;
  };

  beforeEach(async () => {
    platform = await new Platform().start();
    shop = await new LocalShop().start();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
    await Promise.all([platform.kill(), shop.kill()]);
  });

  it('forwards later postbacks in order, signed with the secret that it prints [listen.forward]', async () => {
    platform.sell('before');
    const { lines } = await listening();
    const secret = /whsec_\S+/.exec(lines.join('\n'))?.[0] ?? '';
    expect(secret).toBe(await secretOfListener(TOKEN));
    platform.sell('sub_1', 'sub_2');
    await until(() => expect(shop.oids).toEqual(['sub_1', 'sub_2']));
    for (const { path, headers, body } of shop.received) {
      expect(path).toBe('/tandem');
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Tandem-Postback/1.0' });
      expect(headers.authorization).toBeUndefined();
      expect(await verifyPostback(headers, body, secret)).toMatchObject({
        kind: 'sale',
        id: headers['webhook-id'],
        isTest: true,
      });
    }
    await until(() => expect(lines.at(-1)).toMatch(/^\d\d:\d\d:\d\d {2}sale {5}sub_2 {2}200 {2}\d+ ms$/));
  });

  it('uses the secrets and the Authorization header from the variables that endpoints use [listen.forward]', async () => {
    const secrets = [newSecret(), newSecret()];
    const env = { POSTBACK_SIGNING_SECRETS: secrets.join(' '), POSTBACK_AUTHORIZATION: KEY };
    const { lines } = await listening({}, env);
    expect(lines.join()).not.toContain('whsec_');
    platform.sell('sub_1');
    await until(() => expect(shop.received).toHaveLength(1));
    const [{ headers, body } = { headers: {}, body: '' }] = shop.received;
    for (const secret of secrets)
      expect(await verifyPostback(headers, body, secret, { authorization: KEY })).toMatchObject({ kind: 'sale' });
  });

  it('begins at --since, and reads page after page', async () => {
    await platform.kill();
    platform = await new Platform(2).start();
    platform.sell('a', 'b', 'c', 'd', 'e');
    await listening({ since: '5m' });
    await until(() => expect(shop.oids).toEqual(['a', 'b', 'c', 'd', 'e']));
    const [first, ...rest] = platform.queries;
    expect(Date.now() - Date.parse(first?.['since'] ?? '')).toBeGreaterThanOrEqual(300_000);
    expect(rest.slice(0, 2)).toEqual([{ cursor: '2' }, { cursor: '4' }]);
  });

  it('does not print "nothing was lost" when its first call succeeds only after a failure', async () => {
    platform.refusals.push({ status: 503, code: 'x' });
    const { lines } = await start();
    await until(() => expect(lines.join()).toContain('whsec_'));
    expect(lines[0]).toContain('trying again');
    expect(lines.join()).not.toContain('nothing was lost');
  });

  it('loses and repeats nothing when the platform is killed, and reports the outage once [listen.forward]', async () => {
    const { lines } = await listening();
    platform.sell('sub_1');
    await until(() => expect(shop.oids).toEqual(['sub_1']));
    await platform.kill();
    await until(() => expect(lines.at(-1)).toContain('trying again'));
    platform.sell('sub_2');
    platform.breaks = 2;
    platform.refusals.push({ status: 503, code: 'x' }, { status: 502, code: 'x' }, { status: 500, code: 'x' });
    platform.refusals.push({ status: 429, code: 'rate_limited', headers: { 'retry-after': '1' } });
    await platform.start();
    await until(() => expect(shop.oids).toEqual(['sub_1', 'sub_2']));
    await until(() => expect(lines.filter((line) => line.includes('listening again'))).toHaveLength(1));
    expect(lines.filter((line) => line.includes('trying again'))).toHaveLength(1);
  });

  it('reports a postback that the shop refuses, and continues [listen.forward]', async () => {
    const { lines } = await listening();
    shop.statuses.push(500, 302);
    platform.sell('sub_1', 'sub_2', 'sub_3');
    await until(() => expect(shop.oids).toEqual(['sub_1', 'sub_2', 'sub_3']));
    await shop.kill();
    platform.sell('sub_4');
    await until(() => expect(lines.at(-2)).toContain('ECONNREFUSED'));
    expect(lines.at(-1)).toMatch(/start it, and check --to\. Restart this command with --since /);
    await shop.start();
    platform.sell('sub_5');
    await until(() => expect(shop.oids).toEqual(['sub_1', 'sub_2', 'sub_3', 'sub_5']));
    expect(lines.filter((line) => / (500|302) /.test(line))).toHaveLength(2);
    expect(lines.filter((line) => line.includes('a status from 200 to 299'))).toHaveLength(2);
  });

  it('reports the interrupted postback when the user ends the command, and gives no advice about this postback', async () => {
    let asked = 0;
    const silent = await new TestServer(() => void asked++).start();
    try {
      const { lines, stop } = await listening({ to: silent.url });
      platform.sell('sub_1');
      await until(() => expect(asked).toBe(1));
      await stop();
      expect(lines.at(-1)).toMatch(/ sub_1 {2}interrupted: the postback may have been received {2}\d+ ms$/);
    } finally {
      await silent.kill();
    }
  });

  it('shows why the shop answers 401, and how to send the postback again', async () => {
    const secret = newSecret();
    shop.verifies = { secrets: [secret], authorization: KEY };
    platform.createdAt = '2026-03-01T09:30:00.123Z';
    const wrongKey = await listening({ secret });
    platform.sell('sub_1');
    await until(() => expect(wrongKey.lines.at(-2)).toMatch(/ sub_1 {2}401 {2}\d+ ms {2}authorization_mismatch$/));
    expect(wrongKey.lines.at(-1)).toMatch(/--authorization .*--since 2026-03-01T09:30:00\.123Z /);
    await wrongKey.stop();
    const wrongSecret = await listening({ secret: newSecret(), authorization: KEY });
    platform.sell('sub_2');
    await until(() => expect(wrongSecret.lines.at(-2)).toMatch(/ 401 {2}\d+ ms {2}signature_mismatch$/));
    expect(wrongSecret.lines.at(-1)).toMatch(/--secret.*--since 2026-03-01T09:30:00\.123Z /);
    await wrongSecret.stop();
    const json = await listening({ secret, json: true });
    platform.sell('sub_3');
    await until(() => expect(json.lines).toHaveLength(2));
    expect(JSON.parse(json.lines[1] ?? '')).toMatchObject({ status: 401, reason: 'authorization_mismatch' });
  });

  it.each([
    [401, 'timestamp_too_old', /clocks/],
    [401, 'malformed_header', /proxy/],
    [401, 'malformed_body', /update the SDK/],
    [401, 'no', /must verify/],
    [403, 'Forbidden', /does not allow/],
  ])('gives advice after the last attempt that the shop answers with %d %s', async (status, text, advice) => {
    shop.statuses.push(status, status);
    shop.text = text;
    const { lines } = await listening({ retries: '1' });
    platform.sell('sub_1');
    await until(() => expect(lines).toHaveLength(5));
    expect(lines.slice(2, 4).every((line) => line.includes(` ${status} `))).toBe(true);
    expect(lines[4]).toMatch(advice);
    expect(lines.filter((line) => line.includes('--since'))).toEqual([lines[4]]);
  });

  it('gives no advice about a refused attempt when a later attempt is accepted', async () => {
    shop.statuses.push(401, 200);
    const { lines } = await listening({ retries: '1' });
    platform.sell('sub_1');
    await until(() => expect(lines.at(-1)).toMatch(/ 200 .* attempt 2$/));
    expect(lines.join()).not.toContain('--since');
  });

  it.each([{}, { json: true }])('escapes control characters from the platform with the options %j', async (values) => {
    const hostile = '\u001b[2J\u009b2J\n\u007f';
    platform.createdAt = hostile;
    platform.refusals.push({ status: 503, code: 'x' }, { status: 503, code: hostile });
    shop.statuses.push(401);
    const one = await start(values);
    await until(() => expect(one.lines.join()).toMatch(/Signing|listening/));
    platform.sell(`sub_${hostile}`);
    await until(() => expect(one.lines.join()).toContain('401'));
    platform.refusals.push({ status: 503, code: hostile });
    await until(() => expect(one.lines.join()).toMatch(/resumed|listening again/));
    const text = one.lines.join('');
    // eslint-disable-next-line no-control-regex -- these are the characters that must not be printed
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(text).toContain('\\u009b2J');
    expect(text).not.toContain('--since');
  });

  it('shows only the beginning of the text of a 401, without characters that control a terminal', async () => {
    shop.statuses.push(401);
    shop.text = `\u001b[31mno\n${'x'.repeat(10_000)}`;
    const { lines } = await listening();
    platform.sell('sub_1');
    await until(() => expect(lines.at(-2)).toMatch(/ 401 {2}\d+ ms {2}\[31mno x{90,99}$/));
  });

  it('sends again with --retries under the same webhook-id until the shop accepts [listen.forward]', async () => {
    const { lines } = await listening({ retries: '2', json: true });
    shop.statuses.push(500, 409);
    platform.sell('sub_1', 'sub_2');
    await until(() => expect(shop.oids).toEqual(['sub_1', 'sub_1', 'sub_1', 'sub_2']));
    expect(new Set(shop.received.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await until(() => expect(lines).toHaveLength(5));
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events[0]).toEqual({ event: 'listening', at: expect.any(String), to: `${shop.url}/tandem` });
    expect(events.slice(1).map(({ attempt, status, accepted }) => [attempt, status, accepted])).toEqual([
      [1, 500, false],
      [2, 409, false],
      [3, 200, true],
      [1, 200, true],
    ]);
  });

  it('forwards every postback to two shops when two commands listen', async () => {
    const other = await new LocalShop().start();
    await listening();
    await listening({ to: other.url });
    platform.sell('sub_1', 'sub_2');
    for (const one of [shop, other]) await until(() => expect(one.oids).toEqual(['sub_1', 'sub_2']));
    await other.kill();
  });

  it('ends on Ctrl-C while it waits for a shop that does not answer, or before a retry', async () => {
    const waiting: ListenValues[] = [{}, { retries: '9' }];
    for (const values of waiting) {
      const one = await listening(values);
      shop.statuses.push(values.retries === undefined ? 0 : 500);
      const { length } = shop.received;
      platform.sell('slow');
      await until(() => expect(shop.received.length).toBeGreaterThan(length));
      await one.stop();
      expect(await one.ended).toBeUndefined();
    }
  });

  it.each([
    [401, 'unauthorized', AuthenticationError],
    [403, 'permission_denied', PermissionDeniedError],
    [400, 'invalid_cursor', ValidationError],
  ])('ends when the platform answers a later call with %d %s', async (status, code, type) => {
    const one = await listening();
    platform.refusals.push({ status, code });
    expect(await one.ended).toBeInstanceOf(type);
    expect(String(await one.ended)).not.toContain(TOKEN);
  });

  it.each<[ListenValues, RegExp]>([
    [{ token: 'ptk_live_a-token' }, /only test tokens/],
    [{ token: '' }, /TANDEM_TOKEN/],
    [{ to: '' }, /--to/],
    [{ to: 'ftp://127.0.0.1' }, /--to/],
    [{ to: 'http://user:secret@127.0.0.1' }, /--authorization/],
    [{ to: 'http://192.168.0.1:3000' }, /--allow-remote/],
    [{ to: 'http://127.0.0.1.example.com' }, /--allow-remote/],
    [{ 'base-url': '' }, /TANDEM_BASE_URL/],
    [{ 'base-url': 'http://127.0.0.1\u001b[2J' }, /baseUrl/],
    [{ secret: 'whsec_short' }, /whsec_/],
    [{ since: 'yesterday' }, /--since/],
    [{ retries: '-1' }, /--retries/],
  ])('refuses %j before any call', async (values, message) => {
    const error = await (await start(values)).ended;
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toMatch(message);
    expect(platform.queries).toEqual([]);
  });

  it('prints only the secret with --print-secret, without a call', async () => {
    const one = await start({ 'print-secret': true, to: undefined, 'base-url': undefined });
    expect(await one.ended).toBeUndefined();
    expect(one.lines).toEqual([await secretOfListener(TOKEN)]);
    expect(await secretOfListener(`${TOKEN}2`)).not.toBe(one.lines[0]);
    expect(platform.queries).toEqual([]);
  });
});

describe('the target', () => {
  it.each([
    ['3000', 'http://127.0.0.1:3000/'],
    ['3000/tandem?shop=1', 'http://127.0.0.1:3000/tandem?shop=1'],
    ['localhost:3000/tandem', 'http://localhost:3000/tandem'],
    ['https://shop.localhost', 'https://shop.localhost/'],
    ['http://[::1]:8000/a?b=c', 'http://[::1]:8000/a?b=c'],
    ['http://127.1.2.3', 'http://127.1.2.3/'],
  ])('%s is %s', (text, url) => {
    expect(targetOf(text).href).toBe(url);
  });

  it('must have a scheme, a port or a dot in its host, unless the host is localhost', () => {
    for (const text of ['abc', 'abc/tandem', 'abc/hook.php'])
      expect(() => targetOf(text)).toThrow(/--to must be a port or an HTTP URL/);
    expect(targetOf('localhost').host).toBe('localhost');
  });

  it('may be another machine only with allowRemote', () => {
    expect(targetOf('http://10.0.0.7:3000', { allowRemote: true }).host).toBe('10.0.0.7:3000');
    for (const text of ['http://10.0.0.7', 'example.com', 'http://0.0.0.0:3000', 'http://localhost.example.com'])
      expect(() => targetOf(text)).toThrow(/another machine/);
  });
});

it('reads --since as an age, a time or now', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  expect(sinceOf('now', now)).toBeNull();
  expect(sinceOf('30s', now)).toEqual(new Date('2026-03-01T11:59:30Z'));
  expect(sinceOf('2h', now)).toEqual(new Date('2026-03-01T10:00:00Z'));
  expect(sinceOf('1d', now)).toEqual(new Date('2026-02-28T12:00:00Z'));
  expect(sinceOf('2026-03-01T00:00:00+01:00', now)).toEqual(new Date('2026-02-28T23:00:00Z'));
});
