import { applyDecorators, Header, HttpCode, type Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiHeader, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ProblemModel } from '@tandem/http-api';
import { type AnswerHeader, headersOf } from './headers';
import { OWN_PARTS, type OwnParts } from './operation.rules';
import { type AppError, failure } from './problem';

/** A good answer of an operation. */
export interface Answer {
  /** Default 200. */
  status?: number;
  description: string;
  /** The class of the body; none for an answer without a body. */
  type?: Type;
  /** Fields that differ from the example that the document makes of the class. */
  example?: object;
}

export interface OperationOptions {
  summary: string;
  /** Markdown. */
  description?: string;
  answer: Answer | readonly Answer[];
  /** The errors of its own: those of its route, its guards and its inputs are in the document anyway (operation.rules.ts). */
  errors?: readonly AppError[];
  /** Bodies to try, by name. */
  bodies?: Record<string, object>;
  /** Headers of its answer beside those of every answer. */
  headers?: readonly AnswerHeader[];
  /** The answer holds what nothing in between may keep. */
  noStore?: boolean;
  /** The handler returns JSON text that another app has written. */
  relayed?: boolean;
}

/**
 * Describes an operation of partners or managers, and gives it the status and headers that it describes. The handler's name is the name
 * of its function in generated clients; its tag is the controller's `@ApiTags()`.
 */
export function Operation(options: OperationOptions): MethodDecorator {
  const { summary, description, errors = [], bodies, noStore = false, relayed = false } = options;
  const answers: readonly Answer[] = [options.answer].flat();
  const [first] = answers;
  const headers = [...(noStore ? (['Cache-Control'] as const) : []), ...(options.headers ?? [])];
  const own: OwnParts = { failures: errors.map(failure), bodies };
  return (target, key, descriptor) =>
    applyDecorators(
      ApiOperation({ operationId: String(key), summary, ...(description && { description }) }),
      ApiExtension(OWN_PARTS, own),
      ApiExtraModels(ProblemModel),
      REQUEST_ID,
      ...answers.map((answer) => answerOf(answer, headers)),
      ...(answers.length === 1 && first?.status ? [HttpCode(first.status)] : []),
      ...(noStore ? [Header('Cache-Control', 'no-store')] : []),
      ...(relayed ? [Header('Content-Type', 'application/json; charset=utf-8')] : []),
    )(target, key, descriptor);
}

const REQUEST_ID = ApiHeader({
  name: 'X-Request-Id',
  required: false,
  description: 'Comes back, and stands in our logs. One of another form is replaced.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
});

function answerOf({ status = 200, description, type, example }: Answer, names: readonly AnswerHeader[]) {
  const response = { status, description, headers: headersOf(names) };
  if (!type) return ApiResponse(response);
  const content = { 'application/json': { schema: { $ref: getSchemaPath(type) }, ...(example && { example }) } };
  return applyDecorators(ApiExtraModels(type), ApiResponse({ ...response, content }));
}
