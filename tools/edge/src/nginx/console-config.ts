import { consoleHeaders } from '../console-headers';
import { siteNginxConfig, type SitePlace } from './site-config';

/**
 * A placeholder for the sign-in provider in the computed headers. The configuration of nginx contains `$issuer_source`
 * in its place.
 */
const ANY_ISSUER = 'https://issuer.invalid';

/**
 * Returns the configuration of nginx in the console's image, which answers as console-site.ts does. `settings.conf` contains the
 * output of the image's `settings.sh`, which defines `$issuer`, `$client_id` and `$scope` from the environment.
 */
export const consoleNginxConfig = (place: SitePlace): string =>
  siteNginxConfig({
    place,
    assets: '/console/assets/',
    settings: `include ${place.folder}/settings.conf;\n`,
    maps: ISSUER_MAP,
    headers: Object.fromEntries(
      Object.entries(consoleHeaders({ issuer: ANY_ISSUER, clientId: '', scope: '' })).map(([name, value]) => [
        name,
        value.replace(` ${ANY_ISSUER}`, '$issuer_source'),
      ]),
    ),
    locations: LOCATIONS,
  });

const ISSUER_MAP = `# The end of a list of sources in a header: a space and the provider's origin, or nothing without a provider.
map $issuer $issuer_source {
  "~^(?<issuer_origin>https?://[^/?#]+)" " $issuer_origin";
  default "";
}
`;

const LOCATIONS = `location = /console { return 302 /console/; }
location = /console/config.json {
  default_type "application/json; charset=utf-8";
  return 200 '{"issuer":"$issuer","clientId":"$client_id","scope":"$scope"}';
}
location /console/assets/ { try_files $uri =404; }
# A path that is not a file is a screen of the console.
location /console/ { try_files $uri /console/index.html; }`;
