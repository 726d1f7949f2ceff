import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readDto } from './read-dto';

/** The JSON body, read by {@link readDto}; one that is missing, or null, is an invalid `body`. */
export const ClientBody = <T extends object>(type: Type<T>): ParameterDecorator =>
  createParamDecorator((_: unknown, context: ExecutionContext): T =>
    readDto(type, context.switchToHttp().getRequest<FastifyRequest>().body),
  )();

/** The query, read by {@link readDto}: its values are texts. A parameter that is repeated is wrong. */
export const ClientQuery = <T extends object>(type: Type<T>): ParameterDecorator =>
  createParamDecorator((_: unknown, context: ExecutionContext): T =>
    readDto(type, withoutLists(context.switchToHttp().getRequest<FastifyRequest>().query as object)),
  )();

/** Repeated values come as a list: no field is one, and its elements have no names. */
const withoutLists = (query: object): object =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? {} : value]));
