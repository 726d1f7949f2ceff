/** The command was called wrongly. The message states the correct usage. */
export class UsageError extends Error {}
