/** How an app lets the other apps of the platform in. */
export interface InternalApiOptions {
  /** The app's name: a service token is good for one app only. */
  readonly audience: string;
  /** At least one, of 32 bytes or more; a token may be signed by any of them. */
  readonly secrets: readonly string[];
}

/** The part of an app's environment that says how the other apps are let in. */
export interface InternalApiSettings {
  /** See `secrets` of {@link InternalApiOptions}. */
  INTERNAL_TOKEN_SECRETS: string[];
}

export const INTERNAL_API_OPTIONS = Symbol('INTERNAL_API_OPTIONS');
