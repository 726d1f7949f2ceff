/** Options of a text field: not blank, without control characters and halves of a character, which JSON in Postgres cannot hold. */
export const LINE_OF_TEXT = {
  pattern: /^[^\p{Cc}\p{Cs}]*[^\p{Cc}\p{Cs}\s][^\p{Cc}\p{Cs}]*$/u,
  message: '$property must be a line of text',
} as const;
