import type { ServicePublicKeys } from '@tandem/auth';

/** How an app authenticates the other apps of the platform. */
export interface InternalApiOptions {
  /** The app's name: a service token is valid for one app only. */
  readonly audience: string;
  /** The keys of the callers. */
  readonly publicKeys?: ServicePublicKeys;
  /**
   * Secrets of 32 bytes or more; a token may be signed with any of them. They are set only during the upgrade from a release
   * without keys.
   */
  readonly secrets?: readonly string[];
}

export const INTERNAL_API_OPTIONS = Symbol('INTERNAL_API_OPTIONS');
