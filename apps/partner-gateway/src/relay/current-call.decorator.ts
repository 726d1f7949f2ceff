import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Environment } from '@tandem/contracts';
import type { FastifyRequest } from 'fastify';

/** Identifies the data of one partner in one environment, and the request that reads or changes this data. */
export interface PartnerCall {
  partnerId: string;
  environment: Environment;
  requestId: string;
}

/**
 * Injects the partner and the environment of the request's token, and the id of the request. The `access` of the endpoint must be
 * `partners(…)`.
 */
export const CurrentCall = createParamDecorator((_: unknown, context: ExecutionContext): PartnerCall => {
  const { partner, id: requestId } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!partner) throw new Error('@CurrentCall() is used on an endpoint that is not for partners');
  return { partnerId: partner.partnerId, environment: partner.environment, requestId };
});
