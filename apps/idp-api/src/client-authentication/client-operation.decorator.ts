import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { UnauthorizedError } from '@tandem/auth';
import { AuthenticatedBy, RateLimitedError } from '@tandem/http-api';
import { errorCodes } from 'fastify';
import { InputValidationError } from '../bad-request/input-validation.error';
import { VendorError, VendorTimeoutError } from '../array/vendor.errors';
import { TwoFactorAuthRequiredError } from './client-authentication.errors';
import { ClientAuthenticator } from './client.authenticator';
import type { ClientLimit } from './client-limits.rules';

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
  readonly body?: {
    readonly type: Type;
    readonly optional?: boolean;
    readonly example: object;
    /** A field that can be wrong, for the example of the error. */
    readonly invalidField: string;
  };
  /** The class of its answer; 204 without one. */
  readonly answer?: { readonly type: Type | [Type]; readonly examples?: Readonly<Record<string, object>> };
  /** Whether it asks the vendor: then it may fail with 502 and 504. */
  readonly asksVendor?: boolean;
  /** One of each error beside those that follow from the above. */
  readonly failures?: readonly Error[];
}

/** The names of what a caller shows, in the document. */
export const ACCESS_TOKEN = 'accessToken';
export const SECOND_FACTOR_TOKEN = 'accessTokenWithSecondFactor';

/** The errors of each operation by its id: the document looks up what they are answered with when it is made. */
export const FAILURES = new Map<string, readonly Error[]>();

/** An operation of the client API: who may call it how often, and all of its description. */
export function ClientOperation(options: ClientOperationOptions): MethodDecorator {
  FAILURES.set(options.id, failuresOf(options));
  const { id, tag, summary, description, secondFactor = false, limit = 'default', body, answer } = options;
  return applyDecorators(
    AuthenticatedBy(ClientAuthenticator, { id, secondFactor, limit, takesBody: body !== undefined }),
    HttpCode(answer ? 200 : 204),
    ApiTags(tag),
    ApiBearerAuth(secondFactor ? SECOND_FACTOR_TOKEN : ACCESS_TOKEN),
    ApiOperation({ operationId: id, summary, description: descriptionOf(description, secondFactor) }),
    ...(body ? bodyOf(body) : []),
    answerOf(answer),
  );
}

const descriptionOf = (description: string | undefined, secondFactor: boolean): string =>
  [description, secondFactor ? '**Needs a token with a second factor.**' : 'Any access token of the user will do.']
    .filter((part) => part !== undefined)
    .join('\n\n');

/** Where a body may be left out, null is as good. */
function bodyOf({ type, optional = false, example }: NonNullable<ClientOperationOptions['body']>): MethodDecorator[] {
  const schema = optional ? { schema: { allOf: [{ $ref: getSchemaPath(type) }], nullable: true } } : { type };
  return [ApiExtraModels(type), ApiBody({ ...schema, required: !optional, examples: { example: { value: example } } })];
}

function answerOf(answer: ClientOperationOptions['answer']): MethodDecorator {
  if (!answer) return ApiResponse({ status: 204, description: 'Done' });
  const { type, examples } = answer;
  const content = examples && {
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { summary: name, value }])),
  };
  return ApiResponse({ status: 200, description: 'OK', type, ...content });
}

/** What follows from the other options, and what only the operation knows. */
function failuresOf({ secondFactor, body, asksVendor, failures = [] }: ClientOperationOptions): readonly Error[] {
  return [
    new UnauthorizedError(),
    new RateLimitedError('default', 12),
    ...(secondFactor ? [new TwoFactorAuthRequiredError()] : []),
    ...(body
      ? [
          new InputValidationError([body.invalidField]),
          new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(),
          new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/plain'),
        ]
      : []),
    ...(asksVendor ? [new VendorError('users', 'status 500'), new VendorTimeoutError('users')] : []),
    ...failures,
  ];
}
