/** The version in package.json, for the `User-Agent`. */
export const VERSION = '0.1.0';
