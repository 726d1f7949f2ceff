import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { codeOf, EndpointTarget, KEPT_RESPONSE_BYTES, keptResponse, stageOf } from './attempt.rules';
import type { AttemptOutcome, AttemptStage } from './attempt-types';

/**
 * The reason with which a request is aborted when its outcome is already known: enough of the answer has arrived, or the deadline has
 * passed. Also the error of a request whose endpoint switches protocols (undici then calls `onRequestUpgrade`).
 */
class AttemptEndedError extends Error {
  override readonly name = 'AttemptEndedError';
}

/** Answers with these statuses have no body, whatever their headers announce (RFC 9110, sections 15.3.5 and 15.3.6). */
const BODILESS_STATUSES = new Set([204, 205]);

/**
 * Reports exactly one outcome for a request, when the first of these happens: the answer ends, its body exceeds 2 KiB, an error occurs, or
 * the deadline passes. An answer with a bodiless status ends with its headers.
 */
export class AttemptHandler implements Dispatcher.DispatchHandler {
  private readonly startedAt = Date.now();
  private readonly started = performance.now();
  private readonly deadline: NodeJS.Timeout;
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  private phase: 'connecting' | 'waiting' | 'reading' = 'connecting';
  private status: number | null = null;
  private retryAfter: string | null = null;
  private controller: Dispatcher.DispatchController | null = null;
  private ended = false;

  constructor(
    private readonly target: EndpointTarget,
    totalMs: number,
    private readonly resolve: (outcome: AttemptOutcome) => void,
  ) {
    this.deadline = setTimeout(() => this.end('timeout', this.phase, true), totalMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.phase = 'waiting';
    // If the deadline passed while the request waited for a connection, the request must not be sent.
    if (this.ended) controller.abort(new AttemptEndedError());
  }

  onRequestUpgrade(): void {
    this.fail(new AttemptEndedError('the endpoint switched protocols'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.phase = 'reading';
    this.status = status;
    const retryAfter: string | string[] | undefined = headers['retry-after'];
    this.retryAfter = (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null;
    if (!BODILESS_STATUSES.has(status)) return;
    // An answer with this status has no body. If the headers announce a body, waiting for it would end in an error or never end, so the
    // request is aborted.
    const announcesBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
    this.answered();
    if (announcesBody) controller.abort(new AttemptEndedError());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.ended) return;
    this.chunks.push(chunk.subarray(0, KEPT_RESPONSE_BYTES - this.kept));
    this.kept += chunk.length;
    if (this.kept <= KEPT_RESPONSE_BYTES) return;
    this.answered();
    controller.abort(new AttemptEndedError());
  }

  onResponseEnd(): void {
    this.answered();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** Reports the error as the outcome, unless the request already has an outcome. */
  fail(error: Error): void {
    const code = codeOf(error);
    this.end(stageOf(error, this.phase), code, code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT');
  }

  private answered(): void {
    const success = this.status !== null && this.status >= 200 && this.status <= 299;
    this.end(success ? null : 'status', null, false);
  }

  private end(stage: AttemptStage | null, detail: string | null, timedOut: boolean): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.deadline);
    this.resolve({
      startedAt: this.startedAt,
      latencyMs: Math.round(performance.now() - this.started),
      status: this.status,
      stage,
      detail,
      timedOut,
      response: this.chunks.length === 0 ? null : keptResponse(this.chunks, this.target),
      retryAfter: this.retryAfter,
    });
    if (stage === 'timeout') this.controller?.abort(new AttemptEndedError());
  }
}
