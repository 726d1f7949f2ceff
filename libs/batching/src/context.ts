import { AsyncLocalStorage } from 'node:async_hooks';

const outside = AsyncLocalStorage.snapshot();

/**
 * Runs `work` outside of any request or event: what lives longer than the one that happened to start it (a connection, a timer,
 * a loop) must not keep its log fields, its trace and its deadline.
 */
export const withoutContext = <T>(work: () => T): T => outside(work);
