import { AsyncLocalStorage } from 'node:async_hooks';

const outside = AsyncLocalStorage.snapshot();

/**
 * Runs `work` outside of any request or event: what lives longer than the one that happened to start it (a connection, a timer,
 * a loop) must not carry its log fields, its trace and its deadline on.
 */
export const withoutContext = <T>(work: () => T): T => outside(work);
