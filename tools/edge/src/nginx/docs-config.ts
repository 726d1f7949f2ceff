import { siteHeaders } from '../console-headers';
import { DOCS_REDIRECTS } from '../docs-site';
import { siteNginxConfig, type SitePlace } from './site-config';

/** Returns the configuration of nginx in the image of the docs site, which answers as docs-site.ts does. */
export const docsNginxConfig = (place: SitePlace): string =>
  siteNginxConfig({ place, assets: '/docs/assets/', headers: siteHeaders(), locations: locations() });

const locations = (): string => `${Object.entries(DOCS_REDIRECTS)
  .flatMap(([from, to]) => [from, `${from}/`].map((path) => `location = ${path} { return 302 ${to}; }`))
  .join('\n')}
location = /docs { return 302 /docs/; }
# Addresses of pages have no extension.
location /docs/ {
  error_page 404 /docs/404.html;
  try_files $uri $uri.html $uri/index.html =404;
}
location ~ ^/docs/(.*/)?$ {
  error_page 404 /docs/404.html;
  try_files \${uri}index.html =404;
}`;
