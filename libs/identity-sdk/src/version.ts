/** The last release of the client API. The types are generated from docs/openapi/client-api.json, which may be newer. */
export const API_VERSION = '0.1.0';
