import type { Postback } from '../types.ts';
import type { PostbackStore } from './store.ts';
import {
  type PostbackHeaders,
  PostbackVerificationError,
  type RawBody,
  type VerificationOptions,
  type VerifiedPostback,
  verifyPostback,
} from './verify.ts';

export interface PostbackHandlerOptions extends Pick<VerificationOptions, 'authorization'> {
  /** `whsec_…`; both during a rotation. */
  readonly secrets: string | readonly string[];
  /** Which postbacks were handled. `new MemoryStore()` is enough for one process that may forget them. */
  readonly store: PostbackStore;
  /**
   * Books a sale. Called once for each sale; when it throws, the platform sends the postback again later. The sample of
   * `tandem.postback.test()` comes here too, with `isSample`.
   */
  readonly onSale: (sale: Postback, context: Omit<VerifiedPostback, 'postback'>) => void | Promise<void>;
  /** Hears of refused postbacks, and of errors of `onSale` and the store. */
  readonly onError?: (error: unknown) => void;
}

/** What the endpoint answers. */
export interface PostbackAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Longer than any postback. */
export const MAX_BODY_BYTES = 1024 * 1024;
const BUSY_SECONDS = 5;

const answer = (status: number, text: string, headers: Record<string, string> = {}): PostbackAnswer => ({
  status,
  text,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
});

/**
 * Verifies a postback and books its sale once.
 *
 * @param readBody returns the body as it was received; undefined when it is too long
 * @returns 200 when the sale is booked, now or before; anything else makes the platform try again, or shows it that nobody trusts it
 */
export async function takePostback(
  headers: PostbackHeaders,
  readBody: () => Promise<RawBody | undefined>,
  { secrets, authorization, store, onSale, onError }: PostbackHandlerOptions,
): Promise<PostbackAnswer> {
  try {
    const body = await readBody();
    if (body === undefined) return answer(413, 'the body is too long');
    const { postback, ...context } = await verifyPostback(headers, body, secrets, { authorization });
    const claimed = await store.claim(context.id);
    // 409 and not 503, which would pause the whole endpoint.
    if (claimed === 'busy') return answer(409, 'being handled', { 'retry-after': String(BUSY_SECONDS) });
    if (!claimed) return answer(200, 'handled before');
    try {
      await onSale(postback, context);
    } catch (error) {
      onError?.(error);
      await store.release?.(context.id);
      return answer(500, 'failed');
    }
    // The sale is booked, so a store that fails now must not cause a repeat.
    await Promise.resolve(store.done?.(context.id)).catch((error: unknown) => onError?.(error));
    return answer(200, 'handled');
  } catch (error) {
    onError?.(error);
    return error instanceof PostbackVerificationError ? answer(401, error.reason) : answer(500, 'failed');
  }
}
