const MAX_LENGTH = 200;
/**
 * Matches control, private-use and surrogate code points, line and paragraph separators, and format characters. The two joiners U+200C and
 * U+200D are not matched, because some scripts and emoji need them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/u;

/** Returns whether a partner's reference is valid: 1 to 200 printable code points. */
export function isRefId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2 * MAX_LENGTH) return false;
  const length = [...value].length;
  return length >= 1 && length <= MAX_LENGTH && !UNPRINTABLE.test(value);
}
