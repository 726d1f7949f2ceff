import type { Dispatcher } from 'undici';

/** An HTTP answer whose body has been read completely. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** The time limit passed before the answer had been read completely. */
export class ExchangeTimeoutError extends Error {
  constructor() {
    super('no answer in time');
  }
}

/**
 * Makes one request and reads its answer. Uses `dispatch` instead of undici's `request`, which would need a body stream and an abort signal
 * for each call.
 *
 * @param timeoutMs the time limit for connecting, waiting and reading together
 * @throws ExchangeTimeoutError, or undici's error when the connection failed
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let timeoutError: ExchangeTimeoutError | undefined;
    let status = 0;
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      timeoutError = new ExchangeTimeoutError();
      reject(timeoutError);
      controller?.abort(timeoutError);
    }, Math.ceil(timeoutMs));
    dispatcher.dispatch(request, {
      onRequestStart: (started) => {
        controller = started;
        // The time ran out while the request waited for a connection, so the request must not be sent.
        if (timeoutError) controller.abort(timeoutError);
      },
      onResponseStart: (_, statusCode) => void (status = statusCode),
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        clearTimeout(timer);
        resolve({ status, text: textOf(chunks) });
      },
      onResponseError: (_, error) => {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}

const textOf = (chunks: readonly Buffer[]): string =>
  chunks.length === 1 ? (chunks[0] as Buffer).toString('utf8') : Buffer.concat(chunks).toString('utf8');
