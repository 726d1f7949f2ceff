import { codingFor } from './content-coding.rules';

it.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip;q=0.9', 'gzip'],
  ['GZIP;Q=1.0', 'gzip'],
  ['*', 'br'],
  ['*;q=0.1, br;q=0', 'gzip'],
  ['gzip;q=0', 'identity'],
  ['deflate', 'identity'],
  ['identity;q=0.8, gzip;q=0.2', 'identity'],
  ['identity;q=0, *;q=0', 'identity'],
  ['gzip;q=2', 'identity'],
  [';;,,q=1', 'identity'],
])('a client that accepts "%s" gets %s', (header, coding) => {
  expect(codingFor(header)).toBe(coding);
});
