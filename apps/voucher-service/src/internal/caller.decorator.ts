import { createParamDecorator, type ExecutionContext, NotFoundException } from '@nestjs/common';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import type { FastifyRequest } from 'fastify';

/** On whose behalf partner-gateway calls. A test caller sees and makes test data only. */
export interface Caller {
  readonly partnerId: string;
  readonly environment: Environment;
}

/** The caller, from the path. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  const { partnerId = '', environment = '' } = params;
  if (!isEnvironment(environment)) throw new NotFoundException('There is no such environment');
  return { partnerId, environment };
});

const isEnvironment = (text: string): text is Environment => (ENVIRONMENTS as readonly string[]).includes(text);
