/** A mistake of the caller, with what would be right. */
export class UsageError extends Error {}
