import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { HealthChecks } from './health';

/** The probes for the orchestrator. The edge has no route to them. */
@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(private readonly checks: HealthChecks) {}

  @Get('livez')
  live(): { status: string } {
    return { status: 'alive' }; // a process whose event loop hangs does not answer
  }

  @Get('readyz')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const health = await this.checks.ready();
    reply.code(health.ok ? 200 : 503).send({ status: health.ok ? 'ready' : 'not ready', checks: health.checks });
  }
}
