import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readDto } from './read-dto';

/** The JSON body, read by {@link readDto}. A missing body and a null body are reported as the invalid field `body`. */
export const ClientBody = <T extends object>(type: Type<T>): ParameterDecorator =>
  createParamDecorator((_: unknown, context: ExecutionContext): T =>
    readDto(type, context.switchToHttp().getRequest<FastifyRequest>().body),
  )();

/** The query, read by {@link readDto}. Its values are strings. A parameter that the class declares is invalid if it is repeated. */
export const ClientQuery = <T extends object>(type: Type<T>): ParameterDecorator =>
  createParamDecorator((_: unknown, context: ExecutionContext): T =>
    readDto(type, withoutLists(context.switchToHttp().getRequest<FastifyRequest>().query as object)),
  )();

/**
 * Replaces each list with `{}`. A repeated parameter arrives as a list. No field of a query accepts `{}`, so the error names the parameter.
 */
const withoutLists = (query: object): object =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? {} : value]));
