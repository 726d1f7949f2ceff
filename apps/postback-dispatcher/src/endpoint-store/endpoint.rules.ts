import type { PostbackAuthMethod } from '@tandem/internal-api';

/** Maximum bytes of a key in UTF-8, so that every server accepts the resulting header. */
const MAX_KEY_BYTES = 512;
const VISIBLE_ASCII = new RegExp(`^[\\x21-\\x7e]{1,${MAX_KEY_BYTES}}$`);
const CONTROL_OR_BROKEN = /[\p{Cc}\p{Cs}]/u;

/**
 * The fault of a partner's key, or null: a Bearer key is 1–512 visible ASCII characters; a Basic key is
 * `user:password` of at most 512 bytes in UTF-8 without control characters, the user not empty.
 */
export function keyProblem(authMethod: PostbackAuthMethod, key: string): string | null {
  if (authMethod === 'Bearer') {
    return VISIBLE_ASCII.test(key) ? null : `key must be 1 to ${MAX_KEY_BYTES} visible ASCII characters`;
  }
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `key must not be longer than ${MAX_KEY_BYTES} bytes of UTF-8`;
  if (CONTROL_OR_BROKEN.test(key)) return 'key must not have control characters';
  return key.indexOf(':') > 0 ? null : 'key must be user:password, with a user';
}

/** The fault of a request without a key, or null: the first save needs one, and so does a change of the method. */
export function missingKeyProblem(authMethod: PostbackAuthMethod, before: PostbackAuthMethod | null): string | null {
  if (before === null) return 'key is needed to create the configuration';
  return before === authMethod ? null : 'key is needed when authMethod changes';
}

/** A replaced secret, and until when (Unix ms) it still signs. */
export interface PreviousSecret {
  readonly secret: string;
  readonly until: number;
}

/** However often a partner rotates, at most this many old secrets sign in addition to the current one. */
const MAX_PREVIOUS_SECRETS = 4;

/** The previous secrets after a rotation: newest first, without expired ones. */
export function previousSecretsAfterRotation(
  replaced: PreviousSecret,
  before: readonly PreviousSecret[],
  now: Date,
): PreviousSecret[] {
  return [replaced, ...before.filter(({ until }) => until > now.getTime())].slice(0, MAX_PREVIOUS_SECRETS);
}
