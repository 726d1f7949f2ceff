import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { register } from 'prom-client';

/** The scrape target of Prometheus. The edge has no route to it. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  @Get()
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const text = await register.metrics();
    reply.type(register.contentType).send(text);
  }
}
