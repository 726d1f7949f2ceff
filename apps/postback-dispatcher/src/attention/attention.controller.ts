import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { APPS, DispatcherAttention } from '@tandem/internal-api';
import { AttentionService } from './attention.service';

/** Internal API for partner-gateway, which shows partner managers what needs their attention. The edge never exposes this API. */
@ApiTags('attention')
@Controller('internal/attention')
export class AttentionController {
  constructor(private readonly attention: AttentionService) {}

  @Get()
  @Endpoint({ access: APPS, summary: 'Read what needs attention', answer: { type: DispatcherAttention } })
  getAttention(): Promise<DispatcherAttention> {
    return this.attention.read();
  }
}
