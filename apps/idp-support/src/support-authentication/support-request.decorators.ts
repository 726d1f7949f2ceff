import { createParamDecorator, type ExecutionContext, Param } from '@nestjs/common';
import { isKrn, ValidationFailedError } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import type { Act } from './act';

/** The act of support, for the audit trail. */
export const CurrentAct = createParamDecorator((_: unknown, context: ExecutionContext): Act => {
  const { act } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!act) throw new Error('@CurrentAct() is used on a route without @SupportOperation()');
  return act;
});

/** `{user_id}` of the path. @throws ValidationFailedError for what is no KRN */
export const UserId = (): ParameterDecorator =>
  Param('user_id', {
    transform(text: string): string {
      if (!isKrn(text)) throw new ValidationFailedError([{ field: 'user_id', message: 'must be the KRN of a user' }]);
      return text;
    },
  });
