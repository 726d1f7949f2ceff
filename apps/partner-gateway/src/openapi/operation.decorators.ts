import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import {
  type HttpFailure,
  INTERNAL,
  MalformedRequestError,
  methodNotAllowed,
  RateLimitedError,
  ServiceUnavailableError,
} from '@tandem/service-defaults';
import { errorCodes } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { IntegrationKindMismatchError } from '../partner/partner.errors';
import { PermissionDeniedError, UnauthorizedError } from '../token/token.errors';
import { type AnswerHeader, headersOf } from './headers';
import { failure, problemResponses } from './problem';

/** One good answer of an operation. */
export interface Success {
  /** Default 200. */
  status?: number;
  description: string;
  /** None for an answer without a body. */
  type?: Type;
  example?: object;
  headers?: readonly AnswerHeader[];
}

/** What an operation's own code cannot tell. */
export interface OperationOptions {
  /** The name of its function in generated clients. */
  id: string;
  tag: string;
  summary: string;
  /** Markdown. */
  description?: string;
  body?: { type: Type; required?: boolean; examples: Record<string, object> };
  success: Success | readonly Success[];
  /** One of each error that it can answer with, beside those of every operation. */
  failures?: readonly Error[];
}

const STORAGE_AWAY = new ServiceUnavailableError('The service cannot reach its storage now; try again.');

/** The failures of every operation behind a bearer token. */
const COMMON: readonly HttpFailure[] = [
  failure(new UnauthorizedError()),
  methodNotAllowed(['GET', 'HEAD', 'POST']),
  INTERNAL,
  failure(STORAGE_AWAY),
];

/** The failures of a body that cannot be read. */
const UNREADABLE: readonly HttpFailure[] = [
  failure(new MalformedRequestError('The body is not valid JSON.')),
  failure(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()),
  failure(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/plain')),
];

/** The order of the checks: the limit is not known before the token, and no route means no token. */
const BEFORE_THE_LIMIT = new Set([401, 405]);

const ANY_PARTNER: readonly HttpFailure[] = [
  ...COMMON,
  failure(new PermissionDeniedError('The partner account is not active')),
  failure(new RateLimitedError('read', 12)),
];

const WITH_SCOPE_AND_KIND: readonly HttpFailure[] = [
  failure(new PermissionDeniedError('The token lacks the scope that the operation needs')),
  failure(new IntegrationKindMismatchError('promotion')),
];

/** Describes an operation for partners, which has `@PartnerAccess()`; `anyPartner` when that asks for neither kind nor scope. */
export const PartnerOperation = ({
  anyPartner = false,
  ...options
}: OperationOptions & { anyPartner?: boolean }): MethodDecorator =>
  describeOperation(options, anyPartner ? ANY_PARTNER : [...WITH_SCOPE_AND_KIND, ...ANY_PARTNER], (status) =>
    BEFORE_THE_LIMIT.has(status) ? ['X-Request-Id'] : ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'],
  );

const MANAGER_COMMON: readonly HttpFailure[] = [
  ...COMMON,
  failure(new PermissionDeniedError('The token lacks the scope partner:manage')),
];

/** Describes an operation for partner managers, whose controller has `@ManagerOnly()`. */
export const ManagerOperation = (options: OperationOptions): MethodDecorator =>
  describeOperation(options, MANAGER_COMMON, () => ['X-Request-Id']);

function describeOperation(
  { id, tag, summary, description, body, success, failures = [] }: OperationOptions,
  common: readonly HttpFailure[],
  headersAt: (status: number) => readonly AnswerHeader[],
): MethodDecorator {
  const all = [...common, ...(body ? UNREADABLE : []), ...failures.map(failure)];
  return applyDecorators(
    ApiTags(tag),
    ApiOperation({ operationId: id, summary, ...(description && { description }) }),
    ApiHeader({
      name: 'X-Request-Id',
      required: false,
      description: 'Comes back, and stands in our logs. One of another form is replaced.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    }),
    ...(body ? [bodyOf(body)] : []),
    ...[success].flat().map((one) => successResponse(one, headersAt(one.status ?? 200))),
    ...problemResponses(all, headersAt).map((response) => ApiResponse(response)),
  );
}

const bodyOf = ({ type, required = true, examples }: NonNullable<OperationOptions['body']>): MethodDecorator =>
  ApiBody({
    type,
    required,
    ...{ examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) },
  });

function successResponse(
  { status = 200, description, type, example, headers = [] }: Success,
  commonHeaders: readonly AnswerHeader[],
): MethodDecorator {
  const response = {
    status,
    description: description || (STATUS_CODES[status] as string),
    headers: headersOf([...commonHeaders, ...headers]),
  };
  if (!type) return ApiResponse(response);
  const content = { 'application/json': { schema: { $ref: getSchemaPath(type) }, ...(example && { example }) } };
  return applyDecorators(ApiExtraModels(type), ApiResponse({ ...response, content }));
}
