import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { APPS, FindDeadLetters, OpenDeadLetters } from '@tandem/internal-api';
import { DeadLetterLog } from '@tandem/messaging';

/** Internal API for partner-gateway, which shows a sale's dead letters to partner managers. The edge never exposes this API. */
@ApiTags('dead letters')
@Controller('internal/dead-letters')
export class DeadLetterController {
  constructor(private readonly log: DeadLetterLog) {}

  @Get()
  @Endpoint({
    access: APPS,
    summary: 'List the dead letters of a sale',
    answer: { type: OpenDeadLetters },
  })
  async listDeadLetters(@Query() { key }: FindDeadLetters): Promise<OpenDeadLetters> {
    const found = await this.log.findOpen([key]);
    return {
      items: found.map((letter) => ({
        ...letter,
        app: 'postback-dispatcher',
        failedAt: letter.failedAt.toISOString(),
      })),
    };
  }
}
