const MAX_LENGTH = 200;
/** Matches control, private-use and surrogate code points, line separators, and format characters except the joiners that scripts and emoji need. */
const UNPRINTABLE = /[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/u;

/** Whether a partner's reference is valid: 1 to 200 printable code points. */
export function isRefId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2 * MAX_LENGTH) return false;
  const length = [...value].length;
  return length >= 1 && length <= MAX_LENGTH && !UNPRINTABLE.test(value);
}
