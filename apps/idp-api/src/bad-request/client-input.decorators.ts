import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InputValidationError } from './input-validation.error';
import { readDto } from './read-dto';

/**
 * The JSON body, read by {@link readDto}.
 *
 * @param optional whether a body that is missing, or null, counts as `{}`; otherwise it is an invalid `body`
 */
export const ClientBody = <T extends object>(type: Type<T>, { optional = false } = {}): ParameterDecorator =>
  createParamDecorator((_: unknown, context: ExecutionContext): T => {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (body !== undefined && body !== null) return readDto(type, body);
    if (!optional) throw new InputValidationError(['body']);
    return readDto(type, {});
  })();

/** The query, read by {@link readDto}: its values are texts, or lists of texts where a parameter is repeated. */
export const ClientQuery = <T extends object>(type: Type<T>): ParameterDecorator =>
  createParamDecorator(
    (_: unknown, context: ExecutionContext): T =>
      readDto(type, { ...(context.switchToHttp().getRequest<FastifyRequest>().query as object) }),
  )();
