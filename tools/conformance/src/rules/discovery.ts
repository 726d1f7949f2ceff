import { rule, type Section } from './rule';

/** The API of VPN clients. */
export const DISCOVERY: Section = {
  title: 'Discovery',
  rules: [
    rule(
      'discovery.locations',
      '`GET /ids2/locations` answers `{"locations":[{"id","name","latitude","longitude","country_code","instance_count_min","instance_count_max","is_geolocated","popularity_order","test_ips"}]}`.',
    ),
    rule('discovery.locations-order', 'Locations are sorted by `popularity_order`.'),
    rule(
      'discovery.instances',
      '`GET /ids2/locations/{location_id}/instances` answers `{"location_id","endpoints":[{"type","host","ip":{"v4","v6"?},"port","transport","mtu"?,"cert_dn","auth_ip"?,"auth_port"?,"obfuscation"?}]}`.',
    ),
    rule('discovery.preference', 'Endpoints are in the order in which clients should prefer them.'),
    rule('discovery.body', 'The body of a request is ignored.'),
    rule(
      'discovery.auth',
      'Any valid access token of a user is accepted, from the service issuer or the OpenID issuer, even without a second factor. A request without a valid token gets 401 `{"error":"unauthorized"}` with `WWW-Authenticate: Bearer`.',
    ),
    rule(
      'discovery.protocols',
      '`protocols` (`lightway,openvpn,wireguard,proxy`) selects the locations that have an endpoint with one of these protocols, and the instances with one of these protocols. A protocol that is named twice counts once.',
    ),
    rule(
      'discovery.protocols-invalid',
      'A request with an unknown protocol, an empty `protocols` or a repeated parameter gets 400.',
    ),
    rule('discovery.location-not-found', 'An unknown location gets 404 `{"error":"location not found"}`.'),
    rule(
      'discovery.methods',
      'Both paths accept only GET and HEAD: any other method gets 405 `{"error"}` with `Allow: GET, HEAD`.',
    ),
    rule('discovery.errors', 'Every error is JSON: `{"error":"…"}`.'),
    rule(
      'discovery.etag',
      'The answer has a strong `ETag`. The same content has the same `ETag` on every replica, whatever the order of the requested protocols.',
    ),
    rule(
      'discovery.not-modified',
      'A request whose `If-None-Match` is the current `ETag`, a list that contains it, or `*` gets 304 with the same headers and no body.',
    ),
    rule(
      'discovery.cache-control',
      'Locations have `Cache-Control: private, max-age=600`, instances `Cache-Control: private, max-age=60`.',
    ),
    rule('discovery.vary', 'Answers have `Vary: Authorization, Accept-Encoding`.'),
    rule('discovery.head', 'HEAD answers like GET, without the body.'),
    rule(
      'discovery.coding',
      'A client that accepts `br` or `gzip` gets an answer of 1 KiB or more in that coding, with an `ETag` for that coding.',
    ),
    rule(
      'discovery.follow',
      'Every replica serves a change of the catalog’s tables within a second. `npm run bench -- discovery` measures this.',
    ),
    rule('discovery.snapshot', 'A change of any size is served completely or not at all.'),
    rule(
      'discovery.outage',
      'While its database is down, a replica keeps serving its current catalog, and updates the catalog afterwards. A replica without a catalog is not ready, and answers 503.',
    ),
    rule(
      'discovery.import',
      '`npm run discovery -- import FILE` replaces the catalog with the content of the file, atomically.',
    ),
    rule(
      'discovery.import-validation',
      'A file with mistakes is refused as a whole; each mistake is reported with the path of its value.',
    ),
    rule('discovery.import-diff', 'Before an import changes anything, it shows what it adds, changes and removes.'),
    rule(
      'discovery.import-confirm',
      'An import asks for confirmation unless `--yes` is given; with `--dry-run` it changes nothing.',
    ),
    rule(
      'discovery.import-removals',
      'Without `--allow-removals`, an import is refused if it removes more than half of the locations, or if the number of endpoints falls by more than half.',
    ),
    rule(
      'discovery.import-concurrency',
      'An import fails if the catalog has changed since the import compared the catalog with the file.',
    ),
    rule('discovery.export', '`npm run discovery -- export` writes or prints a file whose import changes nothing.'),
    rule(
      'discovery.openapi',
      'One OpenAPI document describes the API. The document is checked in, and matches the code.',
    ),
  ],
};
