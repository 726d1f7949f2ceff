import type { LookupAddress } from 'node:dns';
import { isIPv6 } from 'node:net';
import { AttemptClient, PreparedTarget } from '../src/attempt/attempt.client';
import type { AttemptOutcome } from '../src/attempt/attempt-types';
import { parseNetwork } from '../src/address/address.rules';
import { PostbackUrlRefusedError } from '../src/ssrf/ssrf.errors';
import { Resolver, SsrfGuard } from '../src/ssrf/ssrf-guard';
import { answer, EndpointServer } from './endpoint-server';
import { ALLOWED_LITERALS, REFUSED_ADDRESSES, REFUSED_LITERALS } from './refused-hosts';

const STRICT = { allowLoopback: false, requireHttps: false };
const LOOPBACK = { allowLoopback: true, requireHttps: false };

const addressesOf = (addresses: readonly string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
const resolvingTo =
  (...addresses: string[]): Resolver =>
  async () =>
    addressesOf(addresses);
const failing: Resolver = async () => {
  throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
};

describe('the SSRF guard', () => {
  const clients: AttemptClient[] = [];
  let endpoint: EndpointServer;

  beforeAll(async () => {
    endpoint = await EndpointServer.start();
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await endpoint.stop();
  });

  const dial = (guard: SsrfGuard, url: string): Promise<AttemptOutcome> => {
    const client = new AttemptClient(guard, { connectMs: 500, totalMs: 1000 });
    clients.push(client);
    const target = { url, authMethod: 'Bearer', key: 'k', signingSecrets: [] } as const;
    return client.send(new PreparedTarget(target), {
      id: 'id',
      environment: 'live',
      kind: 'sale',
      body: '{"oid":"o"}',
    });
  };

  it('is tested with at least 100 different hosts and sets of addresses that must be refused', () => {
    expect(new Set(REFUSED_LITERALS).size).toBe(REFUSED_LITERALS.length);
    expect(REFUSED_LITERALS.length + REFUSED_ADDRESSES.length).toBeGreaterThanOrEqual(100);
  });

  describe.each(REFUSED_LITERALS)('%s', (host) => {
    const guard = new SsrfGuard(STRICT, resolvingTo('8.8.8.8'));

    it('is refused on save [postback.public-addresses]', async () => {
      await expect(guard.checkOnSave(`http://${host}/postback`)).rejects.toThrow(PostbackUrlRefusedError);
      await expect(guard.checkOnSave(`http://${host}:8080/postback`)).rejects.toThrow(PostbackUrlRefusedError);
    });

    it('is refused before a connection is made [postback.public-addresses]', async () => {
      expect(await dial(guard, `http://${host}:${endpoint.port}/postback`)).toMatchObject({
        stage: 'ssrf_refused',
        status: null,
      });
    });
  });

  describe.each(REFUSED_ADDRESSES.map((addresses) => [addresses.join(' and '), addresses] as const))(
    'a name that resolves to %s',
    (_, addresses) => {
      const guard = new SsrfGuard(STRICT, resolvingTo(...addresses));

      it('is refused on save [postback.public-addresses]', async () => {
        await expect(guard.checkOnSave('http://partner.example/')).rejects.toThrow(
          'must have a publicly reachable address',
        );
      });

      it('is refused when a connection is made [postback.public-addresses]', async () => {
        const outcome = await dial(guard, `http://partner.example:${endpoint.port}/`);
        expect(outcome).toMatchObject({ stage: 'ssrf_refused', status: null });
      });
    },
  );

  it.each(ALLOWED_LITERALS)('accepts %s on save', async (host) => {
    await expect(new SsrfGuard(STRICT, failing).checkOnSave(`http://${host}/`)).resolves.toBeUndefined();
  });

  it('accepts a name whose addresses are all public', async () => {
    await new SsrfGuard(STRICT, resolvingTo('8.8.8.8', '2606:4700::1111')).checkOnSave('https://partner.example/');
  });

  it('refuses a name that does not resolve [postback.unresolved]', async () => {
    await expect(new SsrfGuard(STRICT, failing).checkOnSave('http://nowhere.example/')).rejects.toThrow(
      'does not resolve',
    );
    await expect(new SsrfGuard(STRICT, resolvingTo()).checkOnSave('http://nowhere.example/')).rejects.toThrow(
      'does not resolve',
    );
  });

  it('refuses a name whose DNS lookup times out', async () => {
    const guard = new SsrfGuard(STRICT, () => new Promise(() => undefined), 20);
    await expect(guard.checkOnSave('http://slow.example/')).rejects.toThrow('does not resolve');
  });

  it('reports a failed DNS lookup of an attempt', async () => {
    expect(await dial(new SsrfGuard(STRICT, failing), 'http://nowhere.example/')).toMatchObject({ stage: 'dns' });
  });

  it('refuses to connect if a saved name now resolves to a loopback address [postback.public-addresses]', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const guard = new SsrfGuard(STRICT, async () => addressesOf(answers.shift() ?? ['127.0.0.1']));
    const url = `http://rebinding.example:${endpoint.port}/`;
    await guard.checkOnSave(url);
    const before = endpoint.received.length;
    expect(await dial(guard, url)).toMatchObject({ stage: 'ssrf_refused' });
    expect(endpoint.received).toHaveLength(before);
  });

  it('resolves a name once per connection, and connects to the checked address [postback.public-addresses]', async () => {
    const asked: string[] = [];
    const guard = new SsrfGuard(LOOPBACK, async (host) => {
      asked.push(host);
      // The first lookup returns an allowed address. A second lookup would return a different one, at which no endpoint answers.
      return addressesOf([asked.length === 1 ? '127.0.0.1' : '8.8.8.8']);
    });
    expect(await dial(guard, `http://pinned.example:${endpoint.port}/`)).toMatchObject({ stage: null, status: 200 });
    expect(asked).toEqual(['pinned.example']);
  });

  it('does not follow a redirect [delivery.redirects]', async () => {
    const metadata = await EndpointServer.start();
    endpoint.next(answer(302, { location: metadata.url }));
    const outcome = await dial(new SsrfGuard(LOOPBACK), endpoint.url);
    expect(outcome).toMatchObject({ stage: 'status', status: 302 });
    expect(metadata.received).toEqual([]);
    await metadata.stop();
  });

  describe('with loopback allowed for development', () => {
    const guard = new SsrfGuard(LOOPBACK, resolvingTo('127.0.0.1', '::1'));

    it.each(['http://127.0.0.1:3000/', 'http://[::1]/', 'http://localhost:3000/', 'http://127.8.9.10/'])(
      'accepts %s [postback.loopback]',
      (url) => expect(guard.checkOnSave(url)).resolves.toBeUndefined(),
    );

    const others = REFUSED_LITERALS.filter(
      (host) => !/^(127|2130706433|0x7f|0177|017700000001|00000177|%31|１|①|\[::1\]|\[0+:)/i.test(host),
    );
    it.each(others)('still refuses %s [postback.loopback]', (host) =>
      expect(guard.checkOnSave(`http://${host}/`)).rejects.toThrow(PostbackUrlRefusedError),
    );

    it('still refuses a name that also has a private address', () =>
      expect(
        new SsrfGuard(LOOPBACK, resolvingTo('127.0.0.1', '10.0.0.1')).checkOnSave('http://x.example/'),
      ).rejects.toThrow(PostbackUrlRefusedError));
  });

  describe('with networks allowed for development', () => {
    const policy = { ...STRICT, allowedNetworks: ['172.16.0.0/12', 'fd00::/8'].map(parseNetwork) };

    it.each(['172.18.0.5', 'fd00::5'])('accepts a name with the address %s [postback.allowed-networks]', (address) =>
      expect(new SsrfGuard(policy, resolvingTo(address)).checkOnSave('http://inbox/')).resolves.toBeUndefined(),
    );

    it.each(['192.168.1.1', '10.0.0.1', '127.0.0.1', '169.254.169.254', 'fe80::1', '::ffff:172.18.0.5'])(
      'still refuses %s [postback.allowed-networks]',
      (address) =>
        expect(new SsrfGuard(policy, resolvingTo(address)).checkOnSave('http://inbox/')).rejects.toThrow(
          PostbackUrlRefusedError,
        ),
    );
  });

  describe('a URL', () => {
    const guard = new SsrfGuard({ allowLoopback: false, requireHttps: true }, resolvingTo('8.8.8.8'));

    it.each([
      ['the scheme http', 'http://partner.example/'],
      ['another scheme', 'ftp://partner.example/'],
      ['no scheme', 'partner.example/postback'],
      ['no slashes', 'https:partner.example'],
      ['an extra slash', 'https:///partner.example'],
      ['a user', 'https://user@partner.example/'],
      ['a user and a password', 'https://user:secret@partner.example/'],
      ['an empty user', 'https://@partner.example/'],
      ['a fragment', 'https://partner.example/#x'],
      ['an empty fragment', 'https://partner.example/#'],
      ['a space', 'https://partner.example/a b'],
      ['a leading space', ' https://partner.example/'],
      ['a line end', 'https://partner.example/\n'],
      ['a tab in the host', 'https://partner\t.example/'],
      ['a backslash', 'https:\\\\partner.example/'],
      ['a backslash before a user', 'https://8.8.8.8\\@10.0.0.1/'],
      ['a port above 65535', 'https://partner.example:65536/'],
      ['a broken address', 'https://[::1/'],
      ['no host', 'https://'],
      ['no characters', ''],
      ['2049 characters', `https://partner.example/${'a'.repeat(2049 - 24)}`],
    ])('with %s is refused [postback.https, postback.url-form]', (_, url) =>
      expect(guard.checkOnSave(url)).rejects.toThrow(PostbackUrlRefusedError),
    );

    it.each([
      ['a port and a query', 'https://partner.example:8443/a?b=c%20d&e=@f'],
      ['a non-ASCII name', 'https://partnér.example/'],
      ['2048 characters', `https://partner.example/${'a'.repeat(2048 - 24)}`],
    ])('with %s is accepted [postback.https]', (_, url) => expect(guard.checkOnSave(url)).resolves.toBeUndefined());
  });
});
