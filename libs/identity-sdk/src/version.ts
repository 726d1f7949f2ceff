/** The release of the client API whose document the types follow. */
export const API_VERSION = '0.1.0';
