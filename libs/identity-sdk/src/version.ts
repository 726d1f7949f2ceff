/** The release of the client API from whose document the types are generated. */
export const API_VERSION = '0.1.0';
