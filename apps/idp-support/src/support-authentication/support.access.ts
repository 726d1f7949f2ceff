import { applyDecorators, createParamDecorator, type ExecutionContext, Param } from '@nestjs/common';
import { ApiHeader, ApiParam } from '@nestjs/swagger';
import { UnauthorizedError } from '@tandem/auth';
import { KRN } from '@tandem/contracts';
import { type Access, isKrn, ValidationFailedError } from '@tandem/http-api';
import { SupportUserNotFoundError } from '@tandem/internal-api';
import type { FastifyRequest } from 'fastify';
import type { Act } from './act';
import { PermissionDeniedError } from './support-authentication.errors';
import { SupportAuthenticator } from './support.authenticator';

const NO_KRN = new ValidationFailedError([{ field: 'user_id', message: 'must be the KRN of a user' }]);

/** Admits support staff. */
export const STAFF: Access = {
  by: SupportAuthenticator,
  token: 'support',
  ignoresBody: true,
  errors: [UnauthorizedError, PermissionDeniedError],
};

/** Admits support staff to an endpoint about the user in the path. Documents no error for an unknown user. */
export const ABOUT_USER: Access = { ...STAFF, errors: [...STAFF.errors, NO_KRN] };

/** Admits the same as {@link ABOUT_USER}, but documents SupportUserNotFoundError for an unknown user. */
export const SUPPORT: Access = { ...ABOUT_USER, errors: [...ABOUT_USER.errors, SupportUserNotFoundError] };

/** Documents the header `X-Support-Reason` of every support endpoint. */
export const SupportReason = (): ClassDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'X-Support-Reason',
      description: 'The reason, for the audit trail, such as a case number. Must not contain personal data of the user',
      required: false,
      schema: { type: 'string', maxLength: 500 },
    }),
  );

/** Documents the path parameter `user_id` and the header of an endpoint about one user. */
export const SupportParameters = (): ClassDecorator =>
  applyDecorators(
    ApiParam({ name: 'user_id', description: "The user's KRN", schema: { type: 'string', pattern: KRN.source } }),
    SupportReason(),
  );

/** Injects the actor, request and reason of the current action, for the audit trail. */
export const CurrentAct = createParamDecorator((_: unknown, context: ExecutionContext): Act => {
  const { act } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!act) throw new Error('@CurrentAct() is used on an endpoint that is not for support');
  return act;
});

/** Injects the path parameter `{user_id}`. @throws ValidationFailedError when the parameter is not the KRN of a user */
export const UserId = (): ParameterDecorator =>
  Param('user_id', {
    transform(text: string): string {
      if (!isKrn(text)) throw NO_KRN;
      return text;
    },
  });
