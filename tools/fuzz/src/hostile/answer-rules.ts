import type { Operation } from '../document';
import type { WireAnswer, WireOutcome } from './wire';

/** Statuses with which any program of the platform may refuse a changed request, whether or not they are documented. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 404, 405, 408, 413, 414, 415, 422, 429, 431]);

/**
 * Matches internal details that no error may contain: stack traces, paths of files, SQL statements, and messages of
 * Postgres and of libraries.
 */
const INSIDE =
  /\n\s+at |node_modules|\.[jt]s:\d+|\/(?:src|dist|apps|libs)\/|\bselect .+ from |\binsert into |violates .* constraint|relation "|QueryFailedError|(?:Type|Range|Reference|Syntax)Error|Cannot read prop|is not a function|ECONN|EPIPE|FST_ERR|ERR_[A-Z]|Unexpected token|in JSON at/;

/** Matches the paths whose errors must be `{"error":…}` or `{"BadRequest":…}`. Only a 404 may be problem+json there. */
const PLAIN_ERRORS = /^\/(idp|ids2)(?=[/?#]|$)/i;

/** What is expected of the answers to a request. */
export interface Expectation {
  /** The operation for which the request was generated. */
  readonly operation: Operation;
  readonly target: string;
  /** Whether the changed request may match another route. */
  readonly elsewhere: boolean;
  /** Whether the request must be refused. */
  readonly refused: boolean;
}

/** Returns what is wrong with the answers on a connection, as texts that do not depend on the values of the request. */
export function outcomeComplaints(outcome: WireOutcome, expectation: Expectation): string[] {
  if (outcome.end === 'hung') return ['is neither answered nor closed in time'];
  if (outcome.rest !== '') return ['is answered with bytes that are not HTTP'];
  return outcome.answers.flatMap((answer) => answerComplaints(answer, expectation));
}

/**
 * Returns whether the status is a 503 or 504 that is documented for this operation. An app answers with such a status
 * when its database, or another program that it needs, does not respond in time.
 */
export const isBusy = (status: number, { answers }: Operation): boolean =>
  (status === 503 || status === 504) && answers.has(status);

function answerComplaints(answer: WireAnswer, { operation, target, elsewhere, refused }: Expectation): string[] {
  const { status, headers, text } = answer;
  if (status >= 500 && !isBusy(status, operation)) return [`answers ${status}`];
  if (refused && status < 300) return [`answers ${status} to a request that must be refused`];
  if (!elsewhere && !REFUSALS.has(status) && !operation.answers.has(status))
    return [`answers ${status}, which is not documented`];
  if (headers.has('set-cookie') || headers.has('injected')) return [`answers ${status} with a header of the request`];
  if (headers.get('x-content-type-options') !== 'nosniff') return [`answers ${status} without nosniff`];
  if (INSIDE.test(text) && status >= 400) return [`answers ${status} with internal details of the program`];
  return status < 400 || text === '' ? [] : formComplaints(answer, target);
}

/** Returns what is wrong with the form of an error. */
function formComplaints({ status, headers, text }: WireAnswer, target: string): string[] {
  const type = headers.get('content-type') ?? 'none';
  let body: Record<string, unknown>;
  try {
    body = Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return [`answers ${status} with an error that is not JSON (${type})`];
  }
  const isPlain = typeof body['error'] === 'string' || typeof body['BadRequest'] === 'object';
  const isProblem = ['type', 'title', 'detail', 'code', 'requestId'].every((name) => typeof body[name] === 'string');
  if (!isPlain && !(isProblem && body['status'] === status))
    return [`answers ${status} with an error in an unknown form`];
  const expected = isProblem ? 'application/problem+json' : 'application/json';
  if (!type.startsWith(expected)) return [`answers ${status} with the content type ${type}`];
  return PLAIN_ERRORS.test(target) && isProblem && status !== 404
    ? [`answers ${status} in the form of another API`]
    : [];
}
