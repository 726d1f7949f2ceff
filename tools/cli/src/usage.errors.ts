/** The usage is wrong. The message contains the correct usage. */
export class UsageError extends Error {}
