import { AddressList, callerAddress, networkOf } from './caller-address';

describe('AddressList', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['::ffff:192.0.2.0/120', '192.0.2.255', true],
    ['::ffff:192.0.2.0/120', '::ffff:192.0.3.0', false],
    ['2001:db8::/32', '2001:db8:1::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '192.0.2.1', false],
    ['192.0.2.1', 'unknown', false],
    ['192.0.2.1', '', false],
  ])('with the entry %s contains %s: %s', (entry, address, has) => {
    expect(new AddressList(['10.1.2.3', entry]).has(address)).toBe(has);
  });

  it.each(['example.com', '192.0.2.0/33', '192.0.2', '', '1.2.3.4/', '2001:db8::/129'])(
    'refuses the entry %j',
    (entry) => {
      expect(() => new AddressList([entry])).toThrow();
    },
  );

  it('contains no address if it has no entries', () => {
    expect(new AddressList([]).isEmpty).toBe(true);
    expect(new AddressList([]).has('127.0.0.1')).toBe(false);
  });
});

describe('callerAddress', () => {
  const proxies = new AddressList(['10.0.0.0/8', '127.0.0.1']);

  it.each<[string, string, string | string[] | undefined, string]>([
    ['no proxy', '198.51.100.7', undefined, '198.51.100.7'],
    ['a caller that is not a proxy', '198.51.100.7', '10.0.0.1', '198.51.100.7'],
    ['a proxy', '127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['a proxy in IPv6 form', '::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['a proxy behind a proxy', '127.0.0.1', '198.51.100.7, 10.0.0.9', '198.51.100.7'],
    ['an entry that the caller wrote itself', '127.0.0.1', '203.0.113.1, 198.51.100.7', '198.51.100.7'],
    ['several headers', '127.0.0.1', ['203.0.113.1', '198.51.100.7'], '198.51.100.7'],
    ['a proxy that forwards nothing', '127.0.0.1', undefined, '127.0.0.1'],
    ['a proxy that forwards an empty list', '127.0.0.1', '', '127.0.0.1'],
    ['a proxy that forwards something other than an address', '127.0.0.1', 'unknown', 'unknown'],
    ['only proxies', '127.0.0.1', '10.0.0.1', '10.0.0.1'],
  ])('returns the caller’s address in the case of %s', (_name, socket, forwardedFor, address) => {
    expect(callerAddress(socket, forwardedFor, proxies)).toBe(address);
  });
});

describe('networkOf', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
