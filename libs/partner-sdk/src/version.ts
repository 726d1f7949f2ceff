/** The version in package.json, for the `User-Agent`. */
export const VERSION = '0.1.0';

/** The last release of the partner API. The types are generated from docs/openapi/partner-api.json, which may be newer. */
export const API_VERSION = '0.1.0';
