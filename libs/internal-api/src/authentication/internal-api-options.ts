import type { ServicePublicKeys } from '@tandem/auth';

/** How an app lets the other apps of the platform in. */
export interface InternalApiOptions {
  /** The app's name: a service token is good for one app only. */
  readonly audience: string;
  /** Of the callers. */
  readonly publicKeys?: ServicePublicKeys;
  /** Of 32 bytes or more; a token may be signed by any of them. Only during the upgrade from a release without keys. */
  readonly secrets?: readonly string[];
}

export const INTERNAL_API_OPTIONS = Symbol('INTERNAL_API_OPTIONS');
