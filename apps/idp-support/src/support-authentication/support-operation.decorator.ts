import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { UnauthorizedError } from '@tandem/auth';
import { KRN } from '@tandem/contracts';
import { SupportUserNotFoundError } from '@tandem/internal-api';
import { AuthenticatedBy, DocumentFailures, PLAIN_FORMAT, ValidationFailedError } from '@tandem/http-api';
import { ERRORS } from '../error-map';
import { PermissionDeniedError } from './support-authentication.errors';
import { SupportAuthenticator } from './support.authenticator';

export interface SupportOperationOptions {
  /** The name of its function in generated clients. */
  readonly id: string;
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** The class of its body; an operation without one ignores whatever comes. */
  readonly body?: { readonly type: Type; readonly optional?: boolean; readonly example: object };
  readonly answer: { readonly status: number; readonly type?: Type };
  /** One of each error beside those of every operation. */
  readonly failures?: readonly Error[];
}

/** An operation of the support API: who may call it, and all of its description. */
export function SupportOperation(options: SupportOperationOptions): MethodDecorator {
  const { id, summary, description, body, answer, failures = [] } = options;
  const everywhere = [new UnauthorizedError(), new PermissionDeniedError(), new ValidationFailedError([])];
  return applyDecorators(
    AuthenticatedBy(SupportAuthenticator, { takesBody: body !== undefined }),
    HttpCode(answer.status),
    ApiTags('Users'),
    ApiBearerAuth('support'),
    ApiOperation({ operationId: id, summary, ...(description && { description }) }),
    ApiParam({ name: 'user_id', description: "The user's KRN", schema: { type: 'string', pattern: KRN.source } }),
    ApiHeader({
      name: 'X-Support-Reason',
      description: 'Why, for the audit trail: for example a case number. No personal data of the user',
      required: false,
      schema: { type: 'string', maxLength: 500 },
    }),
    ...(body
      ? [ApiBody({ type: body.type, required: !body.optional, examples: { example: { value: body.example } } })]
      : []),
    ApiResponse({ status: answer.status, description: 'OK', ...(answer.type && { type: answer.type }) }),
    DocumentFailures({
      failures: [...everywhere, new SupportUserNotFoundError(), ...failures],
      path: true,
      body: body !== undefined,
      errors: ERRORS,
      format: PLAIN_FORMAT,
    }),
  );
}
