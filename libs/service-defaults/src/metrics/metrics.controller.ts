import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { register } from 'prom-client';

/** Prometheus' scrape target; the edge never serves it. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  @Get()
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const text = await register.metrics();
    reply.type(register.contentType).send(text);
  }
}
