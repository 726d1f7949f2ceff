import type { OpenApiOptions } from '@tandem/http-api';

/** The OpenAPI document of the API for VPN clients. */
export const DISCOVERY_API: OpenApiOptions = {
  title: 'Tandem discovery API',
  path: 'ids2-docs',
  file: 'discovery-api',
  description: `Where VPN clients connect to: locations, and the endpoints of each.

- **Tokens** are service or OpenID access tokens (JWT) of a user, as in the identity protection API; no second factor is needed.
- **Caching**: every answer has a strong \`ETag\`. Send it as \`If-None-Match\` when \`max-age\` is over: 304 says that nothing changed. Each
  \`Content-Encoding\` (\`br\`, \`gzip\`) has a tag of its own, and any of them is good for a 304.
- **Freshness**: a change of the catalog is served by every replica within a second, whole or not at all.
- **Limits**: there is none on how often a client may ask.
- **Errors** are \`{"error":"…"}\`.
- **New fields** may come in any answer: ignore those that you do not know.`,
  published: { prefix: '/ids2', tags: { Discovery: 'Locations and their instances.' }, tokens: { client: {} } },
};
