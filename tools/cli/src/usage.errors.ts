/** The command was called wrongly. The message states what is wrong. */
export class UsageError extends Error {}
