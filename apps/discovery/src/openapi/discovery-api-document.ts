import type { OpenApiOptions } from '@tandem/http-api';

/** The OpenAPI document of the API for VPN clients. */
export const DISCOVERY_API: OpenApiOptions = {
  title: 'Tandem discovery API',
  path: 'ids2-docs',
  file: 'discovery-api',
  description: `The locations that VPN clients can connect to, and the endpoints of each.

- **Tokens** are service or OpenID access tokens (JWT) of a user, as in the identity protection API; no second factor is needed.
- **Caching**: every answer has a strong \`ETag\`. Send it as \`If-None-Match\` once \`max-age\` has passed: 304 means that nothing changed. Each
  \`Content-Encoding\` (\`br\`, \`gzip\`) has its own tag, and any of these tags can get a 304.
- **Freshness**: every replica serves a change of the catalog within a second, either completely or not at all.
- **Limits**: the number of requests is not limited.
- **Errors** are \`{"error":"…"}\`.
- **New fields** may be added to any answer: ignore fields that you do not know.`,
  published: { prefix: '/ids2', tags: { Discovery: 'Locations and their instances.' }, tokens: { client: {} } },
};
