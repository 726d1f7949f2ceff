import { SILENCE_MS } from '../config';
import {
  type EdgeError,
  HEADERS_TOO_LARGE,
  MALFORMED,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  PAYLOAD_TOO_LARGE,
  UNAVAILABLE,
  URI_TOO_LONG,
} from '../errors';

/** The errors of the edge, each with the statuses of nginx whose error pages it replaces. 494 is nginx's status for headers that are too large. */
export const ERRORS: readonly { readonly causes: string; readonly error: EdgeError }[] = [
  { causes: '400 501 505', error: MALFORMED },
  { causes: '404', error: NOT_FOUND },
  { causes: '405', error: METHOD_NOT_ALLOWED },
  { causes: '413', error: PAYLOAD_TOO_LARGE },
  { causes: '414', error: URI_TOO_LONG },
  { causes: '494', error: HEADERS_TOO_LARGE },
  { causes: '500 502 503 504', error: UNAVAILABLE },
];

/**
 * A line in each route. It answers 404 to paths that nginx and the app could resolve differently, because nginx routes by the normalized path, but
 * the app receives the raw path.
 */
export const AMBIGUOUS_PATHS = 'if ($is_ambiguous) { return 404; }';

/** The variables that identify a request in answers: `$edge_request_id` and `$error_path`. */
export const REQUEST_MAPS = String.raw`# The id of the request: the client's id if it is valid, otherwise a new id.
map $http_x_request_id $edge_request_id {
  "~^[A-Za-z0-9._-]{1,128}$" $http_x_request_id;
  default $request_id;
}
# The path that an error answer contains: that of the request if it needs no escapes in JSON, otherwise "/".
map $request_uri $error_path {
  "~^(?<plain_path>/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)(?:[?#]|$)" $plain_path;
  default /;
}`;

export const MAPS = String.raw`${REQUEST_MAPS}
# Reads the request line, because a request that nginx refuses has no URI.
map $request $error_form {
  "~*^\S+ /(idp|ids2)([ /?#]|$)" plain;
  default problem;
}
# A path is ambiguous if it has a dot segment or a control character, plain or encoded, or an empty segment or a backslash that is not
# encoded. tools/edge/src/path-guard.ts has the same rules.
map $request_uri $is_ambiguous {
  "~^[^?#]*//" 1;
  "~^[^?#]*\\\\" 1;
  "~*^[^?#]*(?:/|%2f|%5c)(?:\.|%2e){1,2}(?:/|%2f|%5c|[?#]|$)" 1;
  "~*^[^?#]*%(?:[01][0-9a-f]|7f)" 1;
  default 0;
}
map $scheme $hsts {
  https "max-age=31536000; includeSubDomains";
  default "";
}`;

export const HTTP_SETTINGS = `access_log off;
server_tokens off;
types { }
default_type application/octet-stream;

# nginx connects to an app only after it has read the whole body. These limits bound the time and the memory for slow clients.
client_header_timeout 10s;
client_body_timeout 3s;
send_timeout 30s;
keepalive_timeout 75s;
large_client_header_buffers 4 16k;
client_body_buffer_size 16k;
proxy_request_buffering on;
limit_conn_zone $binary_remote_addr zone=source:1m;
limit_conn source 512;

# Each request is sent once, on a new connection, because a stopping app could close an idle connection during a request.
proxy_http_version 1.1;
proxy_next_upstream off;
proxy_connect_timeout 5s;
proxy_read_timeout ${SILENCE_MS / 1_000}s;
proxy_buffer_size 16k;
proxy_buffers 8 16k;
# An answer is never written to a file, because the folder for files has room only for the bodies of requests. If a client reads its
# answer slowly, the app therefore waits.
proxy_max_temp_file_size 0;

# The proxy's own values replace the headers that a client sent.
proxy_set_header X-Request-Id $edge_request_id;
proxy_set_header X-Forwarded-For $remote_addr;
proxy_set_header X-Forwarded-Proto $scheme;
proxy_set_header X-Forwarded-Host $http_host;
proxy_set_header Forwarded "";
proxy_set_header X-Real-IP "";
proxy_set_header X-Forwarded-Port "";
proxy_set_header X-Forwarded-Prefix "";
proxy_set_header X-Forwarded-Server "";
proxy_set_header Proxy-Authorization "";
proxy_set_header Expect "";
proxy_set_header TE "";
add_header strict-transport-security $hsts always;`;

export const temporaryFolders = (folder: string): string =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');

export const indented = (text: string, by = 2): string => text.replace(/^(?=.)/gm, ' '.repeat(by));
