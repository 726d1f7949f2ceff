import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCodes } from 'fastify';
import { type HttpFailure, ID_TOO_LONG, INTERNAL, methodNotAllowed, UNREADABLE } from '../errors/http-failure';
import {
  InvalidCursorError,
  ServiceUnavailableError,
  UnreadableBodyError,
  ValidationFailedError,
} from '../errors/request-errors';
import { MUST_BE } from '../fields/field-words';
import { type AnswerHeader, headersOf } from './answer-header';
import { ENDPOINT, type EndpointOptions, type ErrorSource, type RequestBody } from './endpoint';
import { exampleOf, type Schema, type Schemas } from './example.rules';
import { type ErrorDocument, failureFor, failureResponses } from './failure-responses';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The failures outside the app's error map, which every endpoint can have. */
const EVERYWHERE: readonly HttpFailure[] = [
  ...Object.values(UNREADABLE),
  methodNotAllowed(['GET', 'HEAD', 'POST']),
  INTERNAL,
];

/** The error of a storage outage, which every endpoint can have. */
const OUTAGE = new ServiceUnavailableError('The service cannot reach its storage now; try again.');

/** The errors of a body that cannot be read. */
const UNREADABLE_BODY: readonly Error[] = [
  new UnreadableBodyError('The body is not valid JSON.'),
  new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(),
  new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/plain'),
];

/**
 * Answers with these statuses have no `RateLimit` headers, because they are sent before the caller and its limit are
 * known: the request cannot be read, has no valid token, or has a method that its path does not allow. 400 is not in
 * this list: an unreadable body has this status too, but the limit is known before the body is read.
 */
const BEFORE_THE_LIMIT = new Set(['401', '405', '408', '414', '431']);

/**
 * Completes an operation from its endpoint's options: adds each failure with which the operation can answer, the headers of all answers, and examples.
 */
export function completeOperation(
  { operation, method, endpoint }: { operation: Operation; method: string; endpoint: EndpointOptions },
  schemas: Schemas,
  document: ErrorDocument,
): void {
  delete (operation as { [ENDPOINT]?: number })[ENDPOINT];
  const { access, body, validates = true, errors: own = [] } = endpoint;
  const headersAt = (status: string): readonly AnswerHeader[] =>
    access.limited && !BEFORE_THE_LIMIT.has(status)
      ? ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
      : ['X-Request-Id'];
  completeAnswers(operation, schemas, headersAt);
  const inputs = [...queryOf(operation), ...completeBody(operation, schemas, body)];
  // Fastify reads the body of every request except GET and HEAD, even if the endpoint takes none.
  const readsBody = method !== 'get' && (body !== undefined || !access.ignoresBody);
  const namesInvalid = own.some((error) => error instanceof ValidationFailedError);
  const sources: readonly ErrorSource[] = [
    ...access.errors,
    OUTAGE,
    ...(readsBody ? UNREADABLE_BODY : []),
    ...(inputs.some(([name]) => name === 'cursor') ? [InvalidCursorError] : []),
    ...(inputs.length > 0 && validates && !namesInvalid ? [invalid(inputs)] : []),
    ...own,
  ];
  const failures = [
    ...EVERYWHERE,
    ...(operation.parameters?.some((one) => 'in' in one && one.in === 'path') ? [ID_TOO_LONG] : []),
    ...sources.map((source) => failureFor(source, document.errors)),
  ];
  Object.assign(operation.responses, failureResponses(failures, document, headersAt));
}

function completeAnswers(
  operation: Operation,
  schemas: Schemas,
  headersAt: (status: string) => readonly AnswerHeader[],
): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!response || '$ref' in response) continue;
    response.headers = { ...headersOf(headersAt(status)), ...response.headers };
    for (const content of Object.values(response.content ?? {})) {
      // The endpoint gives these examples completely: examples with names, or the text of a body that is not JSON.
      if (content.examples || typeof content.example === 'string') continue;
      const made = exampleOf(content.schema as Schema, schemas);
      content.example = Array.isArray(made) ? made : { ...(made as object), ...(content.example as object) };
    }
  }
}

type Input = readonly [name: string, schema: Schema];

const queryOf = ({ parameters = [] }: Operation): Input[] =>
  parameters.flatMap((one) => ('in' in one && one.in === 'query' ? [[one.name, one.schema as Schema] as const] : []));

/**
 * Adds the examples of the body. Marks the body as optional if Nest inferred its class, and the class has no required field.
 *
 * @returns the fields of the body
 */
function completeBody({ requestBody }: Operation, schemas: Schemas, { type, examples }: RequestBody = {}): Input[] {
  if (!requestBody || '$ref' in requestBody) return [];
  const content = requestBody.content['application/json'];
  const described = content?.schema as Schema;
  const { $ref = described.allOf?.[0]?.$ref } = described;
  const schema = ($ref && schemas[$ref.split('/').at(-1) as string]) || described;
  if (!content) throw new Error('a body must be JSON');
  if ($ref && !type) requestBody.required = (schema.required ?? []).length > 0;
  if (examples) content.examples = mapValues(examples, (value) => ({ value }));
  else if ($ref) content.example = exampleOf(schema, schemas);
  return Object.entries(schema.properties ?? {});
}

/**
 * Returns the error for invalid input as the document shows it: for one of the inputs, with the message that a
 * validator would give.
 */
function invalid(inputs: readonly Input[]): Error {
  const [field, schema] = inputs.find(([, { maximum }]) => maximum !== undefined) ?? (inputs[0] as Input);
  return new ValidationFailedError([{ field, message: `${field} ${ruleOf(schema)}` }]);
}

function ruleOf({ maximum, minimum, enum: values, type }: Schema): string {
  if (maximum !== undefined) return MUST_BE.atMost(maximum);
  if (minimum !== undefined) return MUST_BE.atLeast(minimum);
  if (values) return MUST_BE.oneOf(values);
  return type === 'boolean' ? MUST_BE.flag : MUST_BE.text;
}

const mapValues = <T, R>(values: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
