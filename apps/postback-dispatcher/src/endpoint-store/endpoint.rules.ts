import type { PostbackAuthMethod } from '@tandem/internal-api';

/** Maximum length of a key in UTF-8 bytes. It is low enough for every server to accept the resulting header. */
const MAX_KEY_BYTES = 512;
const VISIBLE_ASCII = new RegExp(`^[\\x21-\\x7e]{1,${MAX_KEY_BYTES}}$`);
const CONTROL_OR_BROKEN = /[\p{Cc}\p{Cs}]/u;

/**
 * Returns what is wrong with a partner's key, or null. A Bearer key has 1–512 visible ASCII characters. A Basic key is
 * `user:password` with at most 512 bytes in UTF-8, without control characters, and with a user that is not empty.
 */
export function keyProblem(authMethod: PostbackAuthMethod, key: string): string | null {
  if (authMethod === 'Bearer') {
    return VISIBLE_ASCII.test(key) ? null : `key must be 1 to ${MAX_KEY_BYTES} visible ASCII characters`;
  }
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `key must not be longer than ${MAX_KEY_BYTES} bytes of UTF-8`;
  if (CONTROL_OR_BROKEN.test(key)) return 'key must not have control characters';
  return key.indexOf(':') > 0 ? null : 'key must be user:password, with a user';
}

/** Returns what is wrong with a request that has no key, or null. The first save and a change of the method need a key. */
export function missingKeyProblem(authMethod: PostbackAuthMethod, before: PostbackAuthMethod | null): string | null {
  if (before === null) return 'key is needed to create the configuration';
  return before === authMethod ? null : 'key is needed when authMethod changes';
}

/** A replaced secret, with the time until which it still signs (Unix ms). */
export interface PreviousSecret {
  readonly secret: string;
  readonly until: number;
}

/** At most this many old secrets sign in addition to the current one, however often a partner rotates. */
const MAX_PREVIOUS_SECRETS = 4;

/** Returns the previous secrets after a rotation, newest first. Expired secrets are dropped. */
export function previousSecretsAfterRotation(
  replaced: PreviousSecret,
  before: readonly PreviousSecret[],
  now: Date,
): PreviousSecret[] {
  return [replaced, ...before.filter(({ until }) => until > now.getTime())].slice(0, MAX_PREVIOUS_SECRETS);
}
