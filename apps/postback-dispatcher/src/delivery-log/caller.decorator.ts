import { createParamDecorator, type ExecutionContext, NotFoundException } from '@nestjs/common';
import type { Environment } from '@tandem/contracts';
import type { FastifyRequest } from 'fastify';
import { isEnvironment } from '../endpoint/endpoint.dto';

/** On whose behalf partner-gateway calls: a test caller sees and sends test deliveries only. */
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
