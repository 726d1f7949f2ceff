import type { VendorRoute } from './vendor-routes';

/** The vendor failed: it refused the connection, answered an error, or what was not agreed. */
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

/** The vendor was not asked: its route failed so often that it is left alone for some seconds. */
export class VendorRoutePausedError extends VendorError {
  constructor(route: VendorRoute) {
    super(route, 'it keeps failing');
  }
}

/** The vendor understood the call and refused it: the route itself is well. */
export class VendorRefusedError extends VendorError {
  constructor(route: VendorRoute, status: number) {
    super(route, `status ${status}`);
  }
}

/** The vendor did not answer in time. */
export class VendorTimeoutError extends VendorError {
  override readonly code = 'vendor_timeout';

  constructor(route: VendorRoute) {
    super(route, 'no answer in time');
  }
}

/** Whether the vendor does nothing more because of a failed call: it refused it, or was never asked. */
export const isOver = (error: unknown): boolean =>
  error instanceof VendorRefusedError || error instanceof VendorRoutePausedError;

/** What came of calls of the vendor: exactly one of both. */
export interface VendorOutcome<T> {
  readonly value?: T;
  readonly failure?: { readonly error: VendorError };
}

/** Waits for calls of the vendor. @throws what is no failure of the vendor */
export async function outcomeOf<T>(calls: Promise<T>): Promise<VendorOutcome<T>> {
  try {
    return { value: await calls };
  } catch (error) {
    if (error instanceof VendorError) return { failure: { error } };
    throw error;
  }
}

/** What an endpoint that asks the vendor can fail with. */
export const VENDOR_FAILURES: readonly Error[] = [
  new VendorError('users', 'status 500'),
  new VendorTimeoutError('users'),
];
