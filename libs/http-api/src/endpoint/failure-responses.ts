import { STATUS_CODES } from 'node:http';
import { type ErrorMap, failureOf } from '../errors/error-map';
import type { ErrorFormat } from '../errors/error-formats';
import type { HttpFailure } from '../errors/http-failure';
import { type AnswerHeader, answerHeader, headersOf } from './answer-header';
import type { ErrorSource } from './endpoint';

/** The errors with which an app can answer, and their format. */
export interface ErrorAnswers {
  readonly errors: ErrorMap;
  readonly errorFormat: ErrorFormat;
}

/** How the errors of a document are described. */
export interface ErrorDocument extends ErrorAnswers {
  /** A placeholder for the request's path in examples. */
  readonly anyPath: string;
}

/**
 * Returns the failure with which an error is answered.
 *
 * @throws Error when neither the error map nor the defaults give the error a status
 */
export function failureFor(source: ErrorSource, errors: ErrorMap): HttpFailure {
  const error = typeof source === 'function' ? new source() : source;
  const failure = failureOf(error, errors);
  if (!failure) throw new Error(`${error.constructor.name} has no status: see error-map.ts`);
  return failure;
}

/** Returns one response for each status, with an example and the headers of each failure. */
export function failureResponses(
  failures: readonly HttpFailure[],
  { errorFormat: format, anyPath }: ErrorDocument,
  headersAt: (status: string) => readonly AnswerHeader[],
): Record<string, object> {
  const statuses = [...new Set(failures.map(({ status }) => status))].sort((a, b) => a - b);
  const [type = ''] = format.contentType.split(';', 1);
  const responses = statuses.map((status): [string, object] => {
    const of = failures.filter((one) => one.status === status);
    const ownHeaders = of.flatMap(({ headers = {} }) => Object.keys(headers).map(answerHeader));
    const response = {
      description: format.describe?.(of) ?? describe(of),
      headers: headersOf([...headersAt(String(status)), ...ownHeaders]),
      content: { [type]: { schema: format.schemaOf(of), examples: examplesOf(of, format, anyPath) } },
    };
    return [String(status), response];
  });
  return Object.fromEntries(responses);
}

const describe = (failures: readonly HttpFailure[]): string => {
  const [first] = failures;
  const codes = [...new Set(failures.map(({ code }) => `\`${code}\``))];
  return `${STATUS_CODES[first?.status ?? 500]}: ${codes.join(', ')}`;
};

function unusedName(code: string, examples: object): string {
  const used = Object.keys(examples).filter((name) => name.replace(/_\d+$/, '') === code).length;
  return used === 0 ? code : `${code}_${used + 1}`;
}

function examplesOf(failures: readonly HttpFailure[], format: ErrorFormat, path: string): Record<string, object> {
  const examples: Record<string, object> = {};
  for (const one of failures) {
    const value = format.body(one, { id: 'order-1-attempt-1', path });
    const text = format.textOf?.(one);
    // The format can name the example (`textOf`). Otherwise, its name is the failure's code. If several failures have the same
    // code, a number is appended from the second one on.
    const name = text?.name ?? unusedName(one.code, examples);
    examples[name] = { summary: text?.description ?? one.detail ?? one.code, value };
  }
  return examples;
}
