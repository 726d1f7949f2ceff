import { InvalidCatalogError, readCatalogFile } from './catalog-file';

const ENDPOINT = {
  type: 'lightway',
  host: 'nyc-1.example.com',
  ip: { v4: '192.0.2.10' },
  port: 443,
  transport: 'udp',
  cert_dn: 'CN=nyc-1',
};
const LOCATION = {
  id: 'us-nyc',
  name: 'New York',
  latitude: 40.71,
  longitude: -74,
  country_code: 'US',
  instance_count_min: 1,
  instance_count_max: 2,
  is_geolocated: false,
  popularity_order: 1,
  test_ips: ['192.0.2.1'],
  endpoints: [ENDPOINT],
};

function problemsOf(file: unknown): readonly string[] {
  try {
    readCatalogFile(typeof file === 'string' ? file : JSON.stringify(file));
    return [];
  } catch (error) {
    if (error instanceof InvalidCatalogError) return error.problems;
    throw error;
  }
}
const problemsWith = (change: object): readonly string[] => problemsOf({ locations: [{ ...LOCATION, ...change }] });
const problemsWithEndpoint = (change: object): readonly string[] =>
  problemsWith({ endpoints: [ENDPOINT, { ...ENDPOINT, port: 444, ...change }] });

describe('a catalog file', () => {
  it('has no problems if it is valid', () => expect(problemsOf({ locations: [LOCATION] })).toEqual([]));

  it.each(['', '{', '[]', 'null', '"x"'])('is refused with one problem if its text is "%s"', (text) => {
    expect(problemsOf(text)).toHaveLength(1);
  });

  it.each([
    [{}, 'locations: must be a list of objects'],
    [{ locations: [LOCATION], version: 1 }, 'version: is not a field of a catalog'],
  ])('is refused with one problem if its content is %j', (file, problem) =>
    expect(problemsOf(file)).toEqual([problem]),
  );

  it.each<[object, string]>([
    [{ id: 'US' }, 'locations[0].id: must be 1 to 64 of a-z, 0-9 and -'],
    [{ id: undefined }, 'locations[0].id: must be a string'],
    [{ name: '' }, 'locations[0].name: must be 1 to 100 characters long'],
    [{ latitude: 90.1 }, 'locations[0].latitude: must be at most 90'],
    [{ longitude: '1' }, 'locations[0].longitude: must be a number'],
    [{ country_code: 'usa' }, 'locations[0].country_code: must be two capital letters (ISO 3166-1 alpha-2)'],
    [{ instance_count_min: 3 }, 'locations[0].instance_count_min: must be at most instance_count_max'],
    [{ instance_count_max: 1.5 }, 'locations[0].instance_count_max: must be an integer'],
    [{ is_geolocated: 'yes' }, 'locations[0].is_geolocated: must be true or false'],
    [{ popularity_order: 0 }, 'locations[0].popularity_order: must be at least 1'],
    [{ test_ips: ['192.0.2.256'] }, 'locations[0].test_ips: each value in test_ips must be an IP address'],
    [{ test_ips: null }, 'locations[0].test_ips: must be an array'],
    [{ endpoints: undefined }, 'locations[0].endpoints: must be a list of objects'],
    [{ color: 'red' }, 'locations[0].color: is not a field of a catalog'],
  ])('is refused if a location has %j, and the error names the path [discovery.import-validation]', (change, problem) =>
    expect(problemsWith(change)).toEqual([problem]),
  );

  it.each<[object, string]>([
    [{ type: 'ikev2' }, 'type: must be one of lightway, openvpn, wireguard, proxy'],
    [{ host: 'no host' }, 'host: must be a host name'],
    [{ ip: { v6: '2001:db8::1' } }, 'ip.v4: must be an IPv4 address'],
    [{ ip: { v4: '192.0.2.1', v6: '::ffff:192.0.2.1' } }, 'ip.v6: must be an IPv6 address'],
    [{ ip: { v4: '192.0.2.1', v6: '0:0:0:0:0:0:c000:201' } }, 'ip.v6: must be an IPv6 address'],
    [{ ip: { v4: '192.0.2.1', v6: null } }, 'ip.v6: must be an IPv6 address'],
    [{ ip: { v4: '192.0.2.1', v6: 'fe80::1%eth0' } }, 'ip.v6: must be an IPv6 address'],
    [{ ip: '192.0.2.1' }, 'ip: must be an object'],
    [{ port: 70_000 }, 'port: must be at most 65535'],
    [{ transport: 'sctp' }, 'transport: must be one of udp, tcp'],
    [{ mtu: 100 }, 'mtu: must be at least 576'],
    [{ cert_dn: 5 }, 'cert_dn: must be a string'],
    [{ auth_ip: 'here' }, 'auth_ip: must be an IP address'],
    [{ auth_port: 0 }, 'auth_port: must be at least 1'],
    [{ obfuscation: 'X' }, 'obfuscation: must be 1 to 32 of a-z, 0-9 and -'],
    [{ obfuscaton: 'xor' }, 'obfuscaton: is not a field of a catalog'],
  ])(
    'is refused if an endpoint has %j, and the error names the path [discovery.import-validation]',
    (change, problem) => expect(problemsWithEndpoint(change)).toEqual([`locations[0].endpoints[1].${problem}`]),
  );

  it('is refused if it contains duplicates, and the error names them', () => {
    expect(problemsOf({ locations: [LOCATION, LOCATION] })).toEqual(['locations[1].id: us-nyc appears twice']);
    expect(problemsWith({ endpoints: [ENDPOINT, { ...ENDPOINT, mtu: 1400 }] })).toEqual([
      'locations[0].endpoints[1]: lightway nyc-1.example.com:443/udp appears twice',
    ]);
  });

  it('is refused with an error that shows 50 of its 60 problems and counts all 60 [discovery.import-validation]', () => {
    const locations = Array.from({ length: 60 }, (_, index) => ({ ...LOCATION, id: `l-${index}`, name: '' }));
    expect(() => readCatalogFile(JSON.stringify({ locations }))).toThrow(
      /^the file has 60 problems:\n(?: {2}locations\[\d+\]\.name: .*\n){50} {2}… and 10 more$/,
    );
  });
});
