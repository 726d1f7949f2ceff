import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  ApiSchema,
  getSchemaPath,
} from '@nestjs/swagger';
import { errorCodes } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { type ErrorMap, failureOf } from './error-map';
import {
  type ErrorFormat,
  type HttpFailure,
  ID_TOO_LONG,
  INTERNAL,
  methodNotAllowed,
  PLAIN_FORMAT,
} from './http-failure';
import { MalformedRequestError, ServiceUnavailableError } from './request-errors';

@ApiSchema({ name: 'FieldProblem', description: 'What is wrong with a field' })
class FieldProblemModel {
  @ApiProperty({ example: 'product.name' })
  field!: string;

  @ApiProperty()
  message!: string;
}

/** The body of every error of an app that answers with problems. */
@ApiSchema({
  name: 'Problem',
  description: 'An error (RFC 9457). `code` tells programs what happened, `detail` tells people.',
})
export class ProblemModel {
  @ApiProperty({ format: 'uri', description: '`urn:tandem:problem:` and the code' })
  type!: string;

  @ApiProperty({ description: "The status' own text" })
  title!: string;

  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599 })
  status!: number;

  @ApiProperty()
  detail!: string;

  @ApiProperty({ description: 'The path of the request' })
  instance!: string;

  @ApiProperty()
  code!: string;

  @ApiProperty({ description: 'The same as in the header `X-Request-Id`' })
  requestId!: string;

  @ApiPropertyOptional({
    type: [FieldProblemModel],
    description: 'With `validation_failed` only: what is wrong with which field',
  })
  errors?: FieldProblemModel[];
}

@ApiSchema({ name: 'PlainError', description: 'An error in words' })
class PlainErrorModel {
  @ApiProperty()
  error!: string;
}

/** The failures that every route of every app can have. */
const EVERYWHERE: readonly HttpFailure[] = [methodNotAllowed(['GET', 'HEAD', 'POST']), INTERNAL];

/** The errors that every route of every app can have. */
const OF_EVERY_ROUTE: readonly Error[] = [
  new ServiceUnavailableError('The service cannot reach its storage now; try again.'),
];

/** The failures of a body that cannot be read. */
export const UNREADABLE_BODY: readonly Error[] = [
  new MalformedRequestError('The body is not valid JSON.'),
  new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(),
  new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/plain'),
];

export interface DocumentedFailures {
  /** One of each error that the operation answers with, beside those of every route. */
  readonly failures: readonly Error[];
  /** Whether its path has parameters. */
  readonly path?: boolean;
  /** Whether it takes a body. */
  readonly body?: boolean;
  readonly errors: ErrorMap;
  readonly format: ErrorFormat;
}

/**
 * Documents the error answers of an operation: each status once, with its codes, in the app's own format. Statuses and codes
 * are those of the tables by which the errors are answered.
 *
 * @throws Error for a failure that has no status
 */
export function DocumentFailures({
  failures,
  path = false,
  body = false,
  errors,
  format,
}: DocumentedFailures): MethodDecorator {
  const thrown = [...OF_EVERY_ROUTE, ...(body ? UNREADABLE_BODY : []), ...failures];
  const all = [...EVERYWHERE, ...(path ? [ID_TOO_LONG] : []), ...thrown.map((error) => failureFor(error, errors))];
  const model: Type = format === PLAIN_FORMAT ? PlainErrorModel : ProblemModel;
  const [type = ''] = format.contentType.split(';', 1);
  const statuses = [...new Set(all.map(({ status }) => status))].sort((a, b) => a - b);
  const answers = statuses.map((status) => {
    const codes = [...new Set(all.filter((one) => one.status === status).map(({ code }) => code))];
    const description = `${STATUS_CODES[status]}: ${codes.map((code) => `\`${code}\``).join(', ')}`;
    return ApiResponse({ status, description, content: { [type]: { schema: schemaOf(model, codes) } } });
  });
  return applyDecorators(ApiExtraModels(model), ...answers);
}

function failureFor(error: Error, errors: ErrorMap): HttpFailure {
  const failure = failureOf(error, errors);
  if (!failure) throw new Error(`${error.constructor.name} has no status: see error-map.ts`);
  return failure;
}

const schemaOf = (model: Type, codes: readonly string[]) =>
  model === PlainErrorModel
    ? { $ref: getSchemaPath(model) }
    : {
        allOf: [
          { $ref: getSchemaPath(model) },
          { type: 'object', properties: { code: { type: 'string', enum: [...codes] } } },
        ],
      };
