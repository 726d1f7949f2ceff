import type { PostbackAuthMethod } from '@tandem/internal-api';

/** Maximum length of a key in bytes of UTF-8. Common HTTP servers accept an `Authorization` header with a key of this length. */
const MAX_KEY_BYTES = 512;
const VISIBLE_ASCII = new RegExp(`^[\\x21-\\x7e]{1,${MAX_KEY_BYTES}}$`);
const CONTROL_OR_BROKEN = /[\p{Cc}\p{Cs}]/u;

/**
 * Returns what is wrong with a partner's key; null if nothing is. A Bearer key has 1–512 visible ASCII characters. A Basic key is
 * `user:password` with at most 512 bytes in UTF-8, with a non-empty user, and without control characters or lone surrogates.
 */
export function keyProblem(authMethod: PostbackAuthMethod, key: string): string | null {
  if (authMethod === 'Bearer') {
    return VISIBLE_ASCII.test(key) ? null : `key must be 1 to ${MAX_KEY_BYTES} visible ASCII characters`;
  }
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `key must not be longer than ${MAX_KEY_BYTES} bytes of UTF-8`;
  if (CONTROL_OR_BROKEN.test(key)) return 'key must not have control characters or lone surrogates';
  return key.indexOf(':') > 0 ? null : 'key must be user:password, with a user';
}

/** Returns why a save without a key is an error; null if it is allowed. The first save and a change of the authentication method need a key. */
export function missingKeyProblem(authMethod: PostbackAuthMethod, before: PostbackAuthMethod | null): string | null {
  if (before === null) return 'key is needed to create the configuration';
  return before === authMethod ? null : 'key is needed when authMethod changes';
}

/** A replaced secret, with the time until which it still signs (Unix ms). */
export interface PreviousSecret {
  readonly secret: string;
  readonly until: number;
}

/** Maximum previous secrets that sign in addition to the current one, however often a partner rotates the secret. */
const MAX_PREVIOUS_SECRETS = 4;

/** Returns the previous secrets that still sign after a rotation, newest first: at most MAX_PREVIOUS_SECRETS, and no expired secret. */
export function previousSecretsAfterRotation(
  replaced: PreviousSecret,
  before: readonly PreviousSecret[],
  now: Date,
): PreviousSecret[] {
  return [replaced, ...before.filter(({ until }) => until > now.getTime())].slice(0, MAX_PREVIOUS_SECRETS);
}
