/**
 * Options of a text field for names and titles that people enter: not blank, without control characters (U+0000 is one) and lone
 * surrogates, which Postgres cannot store. `@TextField({ min: 1, max: 200, ...LINE_OF_TEXT })`
 */
export const LINE_OF_TEXT = {
  pattern: /^[^\p{Cc}\p{Cs}]*[^\p{Cc}\p{Cs}\s][^\p{Cc}\p{Cs}]*$/u,
  message: '$property must be a line of text',
} as const;
