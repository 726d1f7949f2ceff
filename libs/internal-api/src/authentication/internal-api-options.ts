import type { ServicePublicKeys } from '@tandem/auth';
import type { CalledApp } from '../config/callers';

/** How an app authenticates the other apps of the platform. */
export interface InternalApiOptions {
  /** This app. It accepts only service tokens that were issued for it. */
  readonly app: CalledApp;
  /** The keys of the callers. */
  readonly publicKeys?: ServicePublicKeys;
  /**
   * Secrets of 32 bytes or more; a token may be signed with any of them. They are set only during the upgrade from a release
   * without keys.
   */
  readonly secrets?: readonly string[];
}

export const INTERNAL_API_OPTIONS = Symbol('INTERNAL_API_OPTIONS');
