import type { VendorRoute } from './vendor-routes';

/**
 * The vendor failed: it could not be reached, broke the connection, answered with an error or in an unexpected shape, or does not know a
 * user whom it should know.
 */
export class VendorError extends Error {
  readonly code: string = 'vendor_failed';

  constructor(
    readonly route: VendorRoute,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`provider unavailable (${route}: ${reason})`, options);
  }
}

/** The vendor was not called: the breaker of the route refused the call, because earlier calls of the route kept failing. */
export class VendorRoutePausedError extends VendorError {
  constructor(route: VendorRoute) {
    super(route, 'calls of this route keep failing');
  }
}

/** The vendor understood the call and refused it. The route itself works. */
export class VendorRefusedError extends VendorError {
  constructor(route: VendorRoute, status: number) {
    super(route, `status ${status}`);
  }
}

/** The vendor did not answer in time, or the caller had no time left for the call. */
export class VendorTimeoutError extends VendorError {
  override readonly code = 'vendor_timeout';

  constructor(route: VendorRoute) {
    super(route, 'no answer in time');
  }
}

/** The vendor does not know a user whom it should know. */
export class UnknownAtVendorError extends VendorError {
  constructor(route: VendorRoute) {
    super(route, 'the user is not known');
  }
}

/** Returns whether a call failed because the vendor or the route's breaker refused it. The vendor cannot carry out such a call later. */
export const isOver = (error: unknown): boolean =>
  error instanceof VendorRefusedError || error instanceof VendorRoutePausedError;

/** Waits for all calls. @throws the failure of one call, preferably of a call that the vendor may still carry out */
export async function allOf(calls: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(calls);
  const reasons: unknown[] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => !isOver(reason)) ?? reasons[0];
}

/** The outcome of calls to the vendor: `failure` if the vendor failed, otherwise the `value` of the calls. */
export interface VendorOutcome<T> {
  readonly value?: T;
  readonly failure?: { readonly error: VendorError };
}

/** Waits for calls to the vendor. A failure of the vendor is returned, not thrown. @throws all other errors */
export async function outcomeOf<T>(calls: Promise<T>): Promise<VendorOutcome<T>> {
  try {
    return { value: await calls };
  } catch (error) {
    if (error instanceof VendorError) return { failure: { error } };
    throw error;
  }
}

/** The failures of the vendor, for the `errors` of the endpoints that report them. */
export const VENDOR_FAILURES: readonly Error[] = [
  new VendorError('users', 'status 500'),
  new VendorTimeoutError('users'),
];
