/**
 * The options of a text field for names and titles that people enter: `@TextField({ min: 1, max: 200, ...LINE_OF_TEXT })`. The text must
 * not be blank, and must not contain control characters or lone surrogates. Postgres can store neither lone surrogates nor the control
 * character U+0000. The pattern reads a text at most twice: a pattern with several parts that match the same characters would
 * take seconds for a long text.
 */
export const LINE_OF_TEXT = {
  pattern: /^(?=[^\p{Cc}\p{Cs}]*$)\s*\S/u,
  message: '$property must be a line of text',
} as const;
