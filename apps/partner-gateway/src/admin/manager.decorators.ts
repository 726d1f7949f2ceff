import { applyDecorators, createParamDecorator, type ExecutionContext, UseGuards } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Act } from './act';
import { ManagerGuard } from './manager.guard';

/** The routes of a controller are for partner managers. */
export const ManagerOnly = () => applyDecorators(UseGuards(ManagerGuard), ApiBearerAuth('manager'));

/** The manager's act, for the audit row. */
export const CurrentAct = createParamDecorator((_: unknown, context: ExecutionContext): Act => {
  const { act } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!act) throw new Error('@CurrentAct() is used on a route without @ManagerOnly()');
  return act;
});
