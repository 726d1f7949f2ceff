import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RouteConfig } from '@tandem/service-defaults';
import { errorCodes } from 'fastify';
import { InputValidationError } from '../bad-request/input-validation.error';
import { errorResponses } from '../openapi/error-responses';
import { VendorError, VendorTimeoutError } from '../vendor/vendor.errors';
import { RateLimitedError, TwoFactorAuthRequiredError, UnauthorizedError } from './client-authentication.errors';
import type { ClientRoute } from './client-authentication.hook';
import type { ClientLimit } from './rate-limits';

export interface ClientOperationOptions {
  /** The name of its function in generated clients; also what its own limit is counted by. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  readonly secondFactor?: boolean;
  /** Default `default`. */
  readonly limit?: ClientLimit;
  /** The class of its body; an operation without one ignores whatever comes. */
  readonly body?: { readonly type: Type; readonly optional?: boolean; readonly example: object };
  /** The class of its answer; 204 without one. */
  readonly answer?: { readonly type: Type | [Type]; readonly example?: unknown };
  /** Whether it asks the vendor: then it may fail with 502 and 504. */
  readonly asksVendor?: boolean;
  /** One of each error beside those that follow from the above. */
  readonly failures?: readonly Error[];
}

/** An operation of the client API: who may call it how often, and all of its description. */
export function ClientOperation(options: ClientOperationOptions): MethodDecorator {
  const { id, tag, summary, description, secondFactor = false, limit = 'default', body, answer } = options;
  const clientRoute: ClientRoute = { id, secondFactor, limit, takesBody: body !== undefined };
  return applyDecorators(
    RouteConfig({ clientRoute }),
    HttpCode(answer ? 200 : 204),
    ApiTags(tag),
    ApiBearerAuth('client'),
    ApiOperation({ operationId: id, summary, ...(description && { description }) }),
    ...(body
      ? [ApiBody({ type: body.type, required: !body.optional, examples: { example: { value: body.example } } })]
      : []),
    answerOf(answer),
    ...errorResponses(failuresOf(options)).map((response) => ApiResponse(response)),
  );
}

function answerOf(answer: ClientOperationOptions['answer']): MethodDecorator {
  if (!answer) return ApiResponse({ status: 204, description: 'Done' });
  const { type, example } = answer;
  return ApiResponse({ status: 200, description: 'OK', type, ...(example !== undefined && { example }) });
}

/** What follows from the other options, and what only the operation knows. */
function failuresOf({ secondFactor, body, asksVendor, failures = [] }: ClientOperationOptions): readonly Error[] {
  return [
    new UnauthorizedError(),
    new RateLimitedError(12),
    ...(secondFactor ? [new TwoFactorAuthRequiredError()] : []),
    ...(body
      ? [
          new InputValidationError(['address.zip']),
          new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(),
          new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/plain'),
        ]
      : []),
    ...(asksVendor ? [new VendorError('users', 'status 500'), new VendorTimeoutError('users')] : []),
    ...failures,
  ];
}
