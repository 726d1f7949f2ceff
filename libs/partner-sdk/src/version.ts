/** The version in package.json, for the `User-Agent`. */
export const VERSION = '0.1.0';

/** The release of the partner API from whose document the types are generated. */
export const API_VERSION = '0.1.0';
