import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import type { Act } from '../audit/act';
import { Attention } from './attention.dto';
import { AttentionService } from './attention.service';

@ApiTags('Attention')
@Controller('admin/attention')
export class AttentionController {
  constructor(private readonly attention: AttentionService) {}

  @Get()
  @Endpoint({
    access: MANAGERS,
    summary: 'Read what needs attention',
    description:
      'Returns a count and the first few of each: held sales, pending applications, disabled and paused live endpoints, failed and held postbacks to live endpoints, and events that could not be handled.',
    answer: { description: 'What needs attention', type: Attention },
  })
  getAttention(@CurrentAct() { requestId }: Act): Promise<Attention> {
    return this.attention.read(requestId);
  }
}
