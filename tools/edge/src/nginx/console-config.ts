import { consoleHeaders, MEDIA_CACHE, PAGE_CACHE } from '../console-headers';
import { bodyOf, type EdgeError } from '../errors';
import { ERRORS, indented, REQUEST_MAPS, temporaryFolders } from './nginx-parts';

/** Where nginx serves the console. */
export interface SitePlace {
  readonly port: number;
  /** The parent of the folder `console`, which contains the built files. */
  readonly files: string;
  /** The only folder that nginx can write; it also holds `settings.conf`. */
  readonly folder: string;
}

/** A placeholder in the computed headers, which nginx replaces by the provider from its settings. */
const ANY_ISSUER = 'https://issuer.invalid';

/**
 * Returns the configuration of nginx in the console's image, which answers as console-site.ts does. `settings.conf`, which the image's
 * `settings.sh` writes from the environment, defines `$issuer`, `$client_id` and `$scope`.
 */
export const consoleNginxConfig = ({ port, files, folder }: SitePlace): string => `worker_processes 1;
# Paths of screens contain the ids of users, and nginx would log an error with its path.
error_log stderr crit;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  server_tokens off;
${indented(TYPES)}
  default_type application/octet-stream;
  sendfile on;
  # Each text file has a compressed copy next to it.
  gzip_static on;
  gzip_vary on;
  absolute_redirect off;

  client_header_timeout 10s;
  client_body_timeout 3s;
  send_timeout 30s;
  keepalive_timeout 75s;
  large_client_header_buffers 4 16k;
  client_max_body_size 1k;
${indented(temporaryFolders(folder))}

  include ${folder}/settings.conf;
${indented(REQUEST_MAPS)}
  # A space, followed by the provider's scheme, host and port.
  map $issuer $issuer_source {
    "~^(?<issuer_origin>https?://[^/?#]+)" " $issuer_origin";
    default "";
  }
  # The names of assets contain a hash of their content. Everything else may be replaced at any time.
  map "$status $uri" $cache {
    "~^(?:200|206|304) /console/assets/" "${MEDIA_CACHE}";
    default "${PAGE_CACHE}";
  }
  map $status $allowed {
    405 "GET, HEAD";
    default "";
  }

  server {
    listen ${port};
    root ${files};
    # A location that adds its own header would lose all of these.
${indented(headerLines(), 4)}
${indented(ERRORS.map(({ causes, error }) => `error_page ${causes} =${error.status} /.errors/${error.status};`).join('\n'), 4)}
    if ($request_method !~ ^(GET|HEAD)$) { return 405; }
    location / { return 404; }
    # The probes of the platform; no edge routes to them.
    location = /livez { return 200; }
    location = /readyz { return 200; }
    location = /console { return 302 /console/; }
    location = /console/config.json {
      default_type "application/json; charset=utf-8";
      return 200 '{"issuer":"$issuer","clientId":"$client_id","scope":"$scope"}';
    }
    location /console/assets/ { try_files $uri =404; }
    # A path that is not a file is a screen of the console.
    location /console/ { try_files $uri /console/index.html; }
${indented(ERRORS.map(({ error }) => errorLocation(error)).join('\n'), 4)}
  }
}
`;

/** The types include the charset, because nginx would add it only to uncompressed answers. */
const TYPES = `types {
  "text/html; charset=utf-8" html;
  "application/javascript; charset=utf-8" js;
  "text/css; charset=utf-8" css;
  "application/json; charset=utf-8" map json;
  image/svg+xml svg;
}`;

function headerLines(): string {
  const headers = Object.entries(consoleHeaders({ issuer: ANY_ISSUER, clientId: '', scope: '' })).map(
    ([name, value]) => [name, value.replace(` ${ANY_ISSUER}`, '$issuer_source')],
  );
  const own = { 'cache-control': '$cache', allow: '$allowed', 'x-request-id': '$edge_request_id' };
  return [...headers, ...Object.entries(own)]
    .map(([name, value]) => `add_header ${name} "${value}" always;`)
    .join('\n');
}

const errorLocation = (error: EdgeError): string => {
  const { type, body } = bodyOf(error, { id: '$edge_request_id', url: '$error_path' });
  return `location = /.errors/${error.status} {
  internal;
  default_type ${type};
  return ${error.status} '${body}';
}`;
};
