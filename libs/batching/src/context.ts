import { AsyncLocalStorage } from 'node:async_hooks';

const outside = AsyncLocalStorage.snapshot();

/**
 * Runs `work` outside of any request or event. A connection, timer or loop outlives the request that happened to start
 * it, and must not keep that request's log fields, trace and deadline.
 */
export const withoutContext = <T>(work: () => T): T => outside(work);
