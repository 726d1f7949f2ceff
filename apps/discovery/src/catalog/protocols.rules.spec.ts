import { keeps, NO_FILTER, protocolFilterOf } from './protocols.rules';

describe('protocolFilterOf', () => {
  it('returns a filter that depends on the listed protocols but not on their order, and NO_FILTER without a list', () => {
    expect(protocolFilterOf('openvpn,lightway')).toBe(protocolFilterOf('lightway,openvpn'));
    expect(protocolFilterOf('openvpn,lightway')).not.toBe(protocolFilterOf('lightway'));
    expect(protocolFilterOf(undefined)).toBe(NO_FILTER);
  });

  it('counts a duplicate protocol once', () => {
    expect(protocolFilterOf('lightway,proxy,lightway')).toBe(protocolFilterOf('lightway,proxy'));
  });

  it.each(['', ',', 'lightway,', 'Lightway', ' lightway', 'ikev2', 'lightway,ikev2', 'lightway,lightway,', 'toString'])(
    'refuses the list "%s"',
    (text) => expect(protocolFilterOf(text)).toBeNull(),
  );

  it('refuses a repeated parameter', () => {
    expect(protocolFilterOf(['lightway', 'openvpn'])).toBeNull();
  });
});

it('a filter keeps the endpoints of its protocols, and NO_FILTER keeps all endpoints', () => {
  const filter = protocolFilterOf('wireguard,proxy') as number;
  expect((['lightway', 'openvpn', 'wireguard', 'proxy'] as const).filter((type) => keeps(filter, { type }))).toEqual([
    'wireguard',
    'proxy',
  ]);
  expect(keeps(NO_FILTER, { type: 'openvpn' })).toBe(true);
});
