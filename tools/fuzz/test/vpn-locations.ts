import type { TestDatabase } from '@tandem/testing';

const ROWS = `
  insert into discovery.location values
    ('us-nyc', 'New York', 40.71, -74.01, 'US', 1, 20, false, 1), ('uk-lon', 'London', 51.51, -0.13, 'GB', 0, 2, true, 2);
  insert into discovery.location_test_ip values ('us-nyc', 1, '192.0.2.1'), ('us-nyc', 2, '2001:db8::1');
  insert into discovery.endpoint values
    ('us-nyc', 1, 'lightway', 'nyc-1.example.com', '192.0.2.10', '2001:db8::10', 443, 'udp', 1350, 'CN=nyc-1', '192.0.2.11', 8443, 'xor'),
    ('us-nyc', 2, 'openvpn', 'nyc-2.example.com', '192.0.2.12', null, 1194, 'tcp', null, 'CN=nyc-2', null, null, null)`;

/** Adds locations to the catalog; one of them has no endpoints. */
export const addLocations = (database: TestDatabase): Promise<unknown> => database.query(ROWS);
