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
    summary: 'Read what needs a person',
    description:
      'Held sales, applications, and of live endpoints those that are disabled and postbacks that failed; events that could not be handled. Of each a count and the first few.',
    answer: { description: 'What needs a person', type: Attention },
  })
  getAttention(@CurrentAct() { requestId }: Act): Promise<Attention> {
    return this.attention.read(requestId);
  }
}
