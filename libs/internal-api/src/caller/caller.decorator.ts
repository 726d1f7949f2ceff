import { createParamDecorator, type ExecutionContext, NotFoundException, Param } from '@nestjs/common';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

/** The partner and the environment on whose behalf partner-gateway calls. A test caller sees, sends and creates only test data. */
export interface Caller {
  readonly partnerId: string;
  readonly environment: Environment;
}

/**
 * Injects the caller, from `:partnerId` and `:environment` of the path.
 *
 * @throws NotFoundException for an unknown environment, and for an id with U+0000, for which Postgres cannot be queried
 */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
    const { partnerId = '', environment = '' } = params;
    if (!isEnvironment(environment)) throw new NotFoundException('There is no such environment');
    return { partnerId: knownForm(partnerId), environment };
  },
  [(target, key) => describeCaller(target, key as string)],
);

function knownForm(partnerId: string): string {
  if (partnerId.includes('\0')) throw new NotFoundException('There is no such partner');
  return partnerId;
}

/** Injects `:partnerId` of the path. @throws NotFoundException for an id with U+0000, for which Postgres cannot be queried */
export const PartnerId = (): ParameterDecorator => Param('partnerId', { transform: knownForm });

const isEnvironment = (text: string): text is Environment => (ENVIRONMENTS as readonly string[]).includes(text);

/** Describes the path's parameters: Nest documents only parameters that a handler takes one by one. */
function describeCaller(controller: object, handler: string): void {
  const descriptor = Object.getOwnPropertyDescriptor(controller, handler) as PropertyDescriptor;
  ApiParam({ name: 'partnerId', schema: { type: 'string' } })(controller, handler, descriptor);
  ApiParam({ name: 'environment', schema: { type: 'string', enum: [...ENVIRONMENTS] } })(
    controller,
    handler,
    descriptor,
  );
}
