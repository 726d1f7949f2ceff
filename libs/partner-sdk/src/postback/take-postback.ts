import type { Postback, SaleClosedNotice } from '../types.ts';
import { keysOf } from './signing-keys.ts';
import type { ClaimedIds, HandledIds, PostbackStore } from './store.ts';
import {
  type PostbackContext,
  type PostbackHeaders,
  PostbackVerificationError,
  type RawBody,
  type VerifiedPostback,
  verifyPostback,
} from './verify.ts';

export interface PostbackHandlerOptions {
  /** The whole `Authorization` header that you expect: `Bearer <key>`, or `Basic <base64 of user:password>`. Default: not compared. */
  readonly authorization?: string;
  /** The signing secrets, `whsec_…`: two of them during a rotation. */
  readonly secrets: string | readonly string[];
  /** Remembers which postbacks were handled. `new MemoryStore()` is enough for one process that may forget them at a restart. */
  readonly store: PostbackStore;
  /**
   * Books a sale. When `onSale` throws, the platform sends the postback again later. `onSale` also receives the
   * samples that `tandem.postback.test()` or a manager requested, with `isSample: true` in the context.
   */
  readonly onSale: (sale: Postback, context: PostbackContext) => void | Promise<void>;
  /** Handles the notice of a refund or chargeback. When it throws, the notice is sent again later. Default: notices are ignored. */
  readonly onSaleClosed?: (notice: SaleClosedNotice, context: PostbackContext) => void | Promise<void>;
  /**
   * Receives the reason of each 401 and 500, and the errors of the store. Its result and its own errors are ignored, but a returned
   * promise is awaited.
   */
  readonly onError?: (error: unknown) => unknown;
}

/** What the endpoint answers. */
export interface PostbackAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The maximum size of a body. No postback is larger. */
export const MAX_BODY_BYTES = 1024 * 1024;
const BUSY_SECONDS = 5;

const answer = (status: number, text: string, headers: Record<string, string> = {}): PostbackAnswer => ({
  status,
  text,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
});

/** Checks the options of a handler, so that a wrong secret or key is found before the first postback. @throws TypeError for invalid options */
export function checkHandlerOptions({ secrets, store, authorization }: PostbackHandlerOptions): void {
  keysOf(secrets);
  if (authorization === '') throw new TypeError('authorization is empty: is its variable set?');
  if (authorization !== undefined && !/^(Bearer|Basic) \S/.test(String(authorization)))
    throw new TypeError('authorization must be the whole header, such as Bearer <key>');
  const methods = Object(store) as Partial<ClaimedIds & HandledIds>;
  const complete = [methods.claim, methods.done, methods.release].every((method) => typeof method === 'function');
  if (!complete && typeof methods.isHandled !== 'function')
    throw new TypeError('a store must have isHandled(), or claim(), done() and release()');
}

/**
 * Verifies a postback or a notice, and calls `onSale` or `onSaleClosed` if its id was not handled before.
 *
 * @param readBody returns the body as it was received; undefined when it is too long
 * @returns 200 when the postback is handled, now or by an earlier attempt, or is ignored. Any other status makes the platform send
 *   the postback again
 */
export async function takePostback(
  headers: PostbackHeaders,
  readBody: () => Promise<RawBody | undefined>,
  options: PostbackHandlerOptions,
): Promise<PostbackAnswer> {
  const report = async (error: unknown): Promise<void> => {
    try {
      await options.onError?.(error);
    } catch {
      // An `onError` that fails must not change the answer.
    }
  };
  try {
    const body = await readBody();
    if (body === undefined) return answer(413, 'the body is too long');
    const { secrets, authorization, store } = options;
    const verified = await verifyPostback(headers, body, secrets, { authorization });
    const handle = handlerOf(verified, options);
    if (!handle) return answer(200, 'ignored');
    if (isInTransaction(store)) return await handledInTransaction(verified.id, store, handle);
    return await handledByClaim(verified.id, store, handle, report);
  } catch (error) {
    await report(error);
    return error instanceof PostbackVerificationError ? answer(401, error.reason) : answer(500, 'failed');
  }
}

type Handle = () => void | Promise<void>;

const isInTransaction = (store: ClaimedIds | HandledIds): store is HandledIds =>
  typeof (store as Partial<HandledIds>).isHandled === 'function';

/** Returns the function that handles the postback; undefined when there is none. */
function handlerOf(verified: VerifiedPostback, { onSale, onSaleClosed }: PostbackHandlerOptions): Handle | undefined {
  const { id, timestamp, isSample, isTest } = verified;
  const context = { id, timestamp, isSample, isTest };
  if (verified.kind === 'sale') return () => onSale(verified.postback, context);
  if (verified.kind === 'closure' && onSaleClosed) return () => onSaleClosed(verified.postback, context);
  return undefined;
}

async function handledInTransaction(id: string, store: HandledIds, handle: Handle): Promise<PostbackAnswer> {
  if (await store.isHandled(id)) return answer(200, 'handled before');
  await handle();
  return answer(200, 'handled');
}

async function handledByClaim(
  id: string,
  store: ClaimedIds,
  handle: Handle,
  report: (error: unknown) => Promise<void>,
): Promise<PostbackAnswer> {
  const claimed = await store.claim(id);
  // The status is 409, because a 503 would pause the whole endpoint.
  if (claimed === 'busy') return answer(409, 'being handled', { 'retry-after': String(BUSY_SECONDS) });
  if (!claimed) return answer(200, 'handled before');
  try {
    await handle();
  } catch (error) {
    // The id is released before `onError` is called, so that an `onError` that hangs cannot prevent the release.
    const released = await settled(() => store.release(id));
    await report(error);
    if (released.error) await report(released.error);
    return answer(500, 'failed');
  }
  // The sale is booked, so a store that fails now must not make the platform send the postback again.
  const done = await settled(() => store.done(id));
  if (done.error) await report(done.error);
  return answer(200, 'handled');
}

/** Runs the work. Returns its error, whether the function throws or its promise rejects. */
async function settled(work: () => Promise<void>): Promise<{ readonly error?: unknown }> {
  try {
    await work();
    return {};
  } catch (error) {
    return { error };
  }
}
