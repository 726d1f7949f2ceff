import type { OpenAPIObject } from '@nestjs/swagger';
import { UnauthorizedError } from '@tandem/auth';
import {
  type HttpFailure,
  ID_TOO_LONG,
  INTERNAL,
  InvalidCursorError,
  methodNotAllowed,
  MUST_BE,
  RateLimitedError,
  ServiceUnavailableError,
  UNREADABLE,
  UNREADABLE_BODY,
  ValidationFailedError,
} from '@tandem/http-api';
import { IntegrationKindMismatchError } from '../partner/partner.errors';
import { PermissionDeniedError } from '../token/token.errors';
import { exampleOf, type Schema, type Schemas } from './example.rules';
import { type AnswerHeader, headersOf } from './headers';
import { failure, problemResponses } from './problem';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** What an operation says of itself beside what OpenAPI has a place for; not in the finished document. */
export interface OwnParts {
  failures: readonly HttpFailure[];
  bodies?: Record<string, object>;
}

export const OWN_PARTS = 'x-own-parts';

/** The failures of every operation behind a bearer token. */
const COMMON: readonly HttpFailure[] = [
  ...Object.values(UNREADABLE),
  failure(UnauthorizedError),
  methodNotAllowed(['GET', 'HEAD', 'POST']),
  INTERNAL,
  failure(new ServiceUnavailableError('The service cannot reach its storage now; try again.')),
];

const OF_MANAGERS: readonly HttpFailure[] = [
  ...COMMON,
  failure(new PermissionDeniedError('The token lacks the scope partner:manage')),
];

const OF_PARTNERS: readonly HttpFailure[] = [
  ...COMMON,
  failure(new PermissionDeniedError('The partner account is not active')),
  failure(new RateLimitedError('read', 12)),
];

/**
 * The limit is not known before the token, and a request that cannot be read, or has no route, has no token. 400 is also of bodies,
 * which are read later.
 */
const BEFORE_THE_LIMIT = new Set(['401', '405', '408', '414', '431']);

/**
 * Completes an operation by what its guard, its inputs and its own parts mean: each failure that it can answer with, the headers of
 * all answers, and examples. A body is read, and may be unreadable, also where an operation takes none; `GET` has none.
 */
export function completeOperation(operation: Operation, method: string, schemas: Schemas): void {
  const { [OWN_PARTS]: own = { failures: [] } } = operation as { [OWN_PARTS]?: OwnParts };
  delete (operation as { [OWN_PARTS]?: OwnParts })[OWN_PARTS];
  const forPartners = operation.security?.some((scheme) => 'partner' in scheme) ?? false;
  const headersAt = (status: number | string): readonly AnswerHeader[] =>
    forPartners && !BEFORE_THE_LIMIT.has(String(status))
      ? ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
      : ['X-Request-Id'];
  completeAnswers(operation, schemas, headersAt);
  const inputs = [...queryOf(operation), ...completeBody(operation, schemas, own.bodies)];
  const failures = [
    ...(forPartners ? ofPartners(operation) : OF_MANAGERS),
    ...(operation.parameters?.some((one) => 'in' in one && one.in === 'path') ? [ID_TOO_LONG] : []),
    ...(method === 'get' ? [] : UNREADABLE_BODY.map(failure)),
    ...(inputs.some(([name]) => name === 'cursor') ? [failure(InvalidCursorError)] : []),
    ...(inputs.length > 0 ? [invalid(inputs)] : []),
    ...own.failures,
  ];
  for (const { status, ...response } of problemResponses(failures, headersAt)) operation.responses[status] = response;
}

function ofPartners(operation: Operation): readonly HttpFailure[] {
  const { 'x-integration-kind': kind, 'x-required-scope': scope } = operation as unknown as Record<string, unknown>;
  return [
    ...(scope ? [failure(new PermissionDeniedError('The token lacks the scope that the operation needs'))] : []),
    ...(kind ? [failure(new IntegrationKindMismatchError('promotion'))] : []),
    ...OF_PARTNERS,
  ];
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
      content.example = { ...(exampleOf(content.schema as Schema, schemas) as object), ...(content.example as object) };
    }
  }
}

type Input = readonly [name: string, schema: Schema];

const queryOf = ({ parameters = [] }: Operation): Input[] =>
  parameters.flatMap((one) => ('in' in one && one.in === 'query' ? [[one.name, one.schema as Schema] as const] : []));

/** A body without a field that must be given may be left out. @returns its fields */
function completeBody({ requestBody }: Operation, schemas: Schemas, bodies?: Record<string, object>): Input[] {
  if (!requestBody || '$ref' in requestBody) return [];
  const content = requestBody.content['application/json'];
  const schema = schemas[(content?.schema as Schema).$ref?.split('/').at(-1) ?? ''];
  if (!content || !schema) throw new Error('the body of an operation must be of a class');
  requestBody.required = (schema.required ?? []).length > 0;
  if (bodies) content.examples = mapValues(bodies, (value) => ({ value }));
  else content.example = exampleOf(schema, schemas);
  return Object.entries(schema.properties ?? {});
}

/** A refusal of one of the inputs, in the words of the validators. */
function invalid(inputs: readonly Input[]): HttpFailure {
  const [field, schema] = inputs.find(([, { maximum }]) => maximum !== undefined) ?? (inputs[0] as Input);
  return failure(new ValidationFailedError([{ field, message: `${field} ${ruleOf(schema)}` }]));
}

function ruleOf({ maximum, minimum, enum: values, type }: Schema): string {
  if (maximum !== undefined) return MUST_BE.atMost(maximum);
  if (minimum !== undefined) return MUST_BE.atLeast(minimum);
  if (values) return MUST_BE.oneOf(values);
  return type === 'boolean' ? MUST_BE.flag : MUST_BE.text;
}

const mapValues = <T, R>(values: Record<string, T>, map: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
