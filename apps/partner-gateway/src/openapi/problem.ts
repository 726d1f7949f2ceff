import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { failureOf, type HttpFailure, PROBLEM_FORMAT, ProblemModel } from '@tandem/http-api';
import { STATUS_CODES } from 'node:http';
import { errorMap } from '../error-map';
import { type AnswerHeader, answerHeader, headersOf } from './headers';

type Components = NonNullable<OpenAPIObject['components']>;
type ResponseSchema = NonNullable<Components['schemas']>[string];
type Problem = { status: number } & NonNullable<Components['responses']>[string];

/** Stands for the path in examples until it is known. */
export const ANY_PATH = '/api/v2/partner';

/** An error of the app; its class alone when its text is always the same. */
export type AppError = Error | (new () => Error);

/** The failure that an error means, by the same tables as when it is thrown. @throws Error when it has no status */
export function failure(appError: AppError): HttpFailure {
  const error = typeof appError === 'function' ? new appError() : appError;
  const known = failureOf(error, errorMap);
  if (!known) throw new Error(`${error.constructor.name} has no status: see error-map.ts`);
  return known;
}

/** One response for each status, with all codes that it can have, an example of each, and the headers it comes with. */
export function problemResponses(
  failures: readonly HttpFailure[],
  headersAt: (status: number) => readonly AnswerHeader[],
): Problem[] {
  const statuses = [...new Set(failures.map(({ status }) => status))].sort((a, b) => a - b);
  return statuses.map((status) => {
    const of = failures.filter((one) => one.status === status);
    const ownHeaders = of.flatMap(({ headers = {} }) => Object.keys(headers).map(answerHeader));
    const codes = [...new Set(of.map(({ code }) => code))];
    return {
      status,
      description: `${STATUS_CODES[status]}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
      headers: headersOf([...headersAt(status), ...ownHeaders]),
      content: { 'application/problem+json': { schema: schemaOf(codes), examples: examplesOf(of) } },
    };
  });
}

const schemaOf = (codes: readonly string[]): ResponseSchema => ({
  allOf: [
    { $ref: getSchemaPath(ProblemModel) },
    { type: 'object', required: ['code'], properties: { code: { type: 'string', enum: [...codes] } } },
  ],
});

function examplesOf(failures: readonly HttpFailure[]): Record<string, { summary: string; value: object }> {
  const examples: Record<string, { summary: string; value: object }> = {};
  for (const one of failures) {
    const before = Object.keys(examples).filter((name) => name.replace(/_\d+$/, '') === one.code).length;
    const name = before === 0 ? one.code : `${one.code}_${before + 1}`;
    const value = PROBLEM_FORMAT.body(one, { id: 'order-1-attempt-1', path: ANY_PATH });
    examples[name] = { summary: one.detail ?? one.code, value };
  }
  return examples;
}
