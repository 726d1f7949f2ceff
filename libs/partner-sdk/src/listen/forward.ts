import { LONGEST_TIMER_MS, type Pace } from '../../../../sdks/typescript/pace.ts';
import type { PostbackRequest } from '../types.ts';
import { signatureHeaders } from './sign.ts';

/** How long to wait for an answer, ms: the default time that the platform waits for an endpoint. */
const TIMEOUT_MS = 15_000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** The error of an attempt that was interrupted because the user ended the command. */
export const INTERRUPTED = 'interrupted: the postback may have been received';
/** The maximum length of a reason, in bytes. The reasons of the SDKs have at most 22 characters. */
const REASON_LENGTH = 100;

export interface ForwardOptions {
  readonly to: URL;
  /** `whsec_…`; each secret adds a signature. */
  readonly secrets: readonly string[];
  /** The whole `Authorization` header. */
  readonly authorization?: string;
  /** The maximum number of retries of a postback that is not accepted. */
  readonly retries: number;
  readonly signal: AbortSignal;
  /** How long to wait for an answer. Default 15,000, as on the platform. */
  readonly timeoutMs?: number;
  readonly fetch: typeof fetch;
}

/** One attempt to forward a postback. */
export interface ForwardedAttempt {
  readonly request: PostbackRequest;
  /** From 1. */
  readonly attempt: number;
  readonly durationMs: number;
  /** The HTTP status; undefined when no answer came. */
  readonly status?: number;
  /** Why no answer came. */
  readonly error?: string;
  /** The beginning of the text of a 401. The endpoints of the SDKs answer with the reason, such as `authorization_mismatch`. */
  readonly reason?: string;
  readonly accepted: boolean;
  /** Whether this attempt is the last: the postback was accepted, or the retries are used up. */
  readonly last: boolean;
}

/**
 * Sends one postback to the target until the postback is accepted (2xx) or the retries are used up. Each attempt gets a new
 * signature, as on the platform.
 *
 * @throws the reason of the signal as soon as it aborts
 */
export async function forward(
  request: PostbackRequest,
  options: ForwardOptions,
  pace: Pace,
  report: (attempt: ForwardedAttempt) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const start = pace.now();
    const outcome = await send(request, options, new Date(start));
    const accepted = outcome.status !== undefined && outcome.status >= 200 && outcome.status <= 299;
    const last = accepted || attempt > options.retries;
    report({ request, attempt, durationMs: pace.now() - start, accepted, last, ...outcome });
    options.signal.throwIfAborted();
    if (last) return;
    await pace.sleep(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)), options.signal);
  }
}

async function send(
  { headers, body, id }: PostbackRequest,
  { to, secrets, authorization, signal, timeoutMs = TIMEOUT_MS, fetch: request }: ForwardOptions,
  at: Date,
): Promise<Pick<ForwardedAttempt, 'status' | 'error' | 'reason'>> {
  const deadline = new AbortController();
  const stop = (): void => deadline.abort();
  const timer = setTimeout(stop, Math.min(timeoutMs, LONGEST_TIMER_MS));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const signed = await signatureHeaders({ id, body, at }, secrets);
    const answer = await request(to, {
      method: 'POST',
      headers: { ...headers, ...signed, ...(authorization !== undefined && { authorization }) },
      body,
      // The platform follows no redirect either, and a redirect might lead to another machine.
      redirect: 'manual',
      signal: deadline.signal,
    });
    // An endpoint has answered only when the whole body has arrived.
    const text = beginningOf(await answer.arrayBuffer());
    return { status: answer.status, ...(answer.status === 401 && text !== '' && { reason: text }) };
  } catch (error) {
    if (signal.aborted) return { error: INTERRUPTED };
    if (deadline.signal.aborted) return { error: `no answer in ${timeoutMs / 1000} s` };
    return { error: reasonOf(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Returns the beginning of a text, on one line and without characters that could control a terminal. */
const beginningOf = (bytes: ArrayBuffer): string =>
  new TextDecoder()
    .decode(bytes.slice(0, REASON_LENGTH))
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim();

/** Returns the code of the innermost cause that has a code, or else the message. The message of `fetch` only says that it failed. */
function reasonOf(error: unknown): string {
  let reason = error instanceof Error ? error.message : String(error);
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth++) {
    const { code, cause, errors } = at as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === 'string') reason = code;
    at = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return reason;
}
